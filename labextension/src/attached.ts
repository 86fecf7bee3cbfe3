/* What goes with a message besides its text: identity, choice and cost of chips. */

import type { State } from './store';
import type { ContextItem } from './types';

/** What goes with the next message: what is open and was not taken away, and what was attached. */
export function chipsOf(state: State): ContextItem[] {
  const { context, removed, drafts, current } = state;
  const open = context.filter(item => !removed.includes(chipKey(item)));
  const known = new Set(open.map(chipKey));
  const attached = drafts[current ?? '']?.items ?? [];
  return [...open, ...attached.filter(item => !known.has(chipKey(item)))];
}

/** About how many tokens a chip costs in the prompt: its line, and text that goes along (4 characters each). */
export function tokensOf(item: ContextItem): number {
  const hasText = item.kind === 'selection' || item.kind === 'output';
  const text = hasText ? Math.min(item.text.length, 4000) + 40 : 0;
  const line = item.kind.length + item.path.length + item.cell_id.length + 16;
  return Math.ceil((line + text) / 4);
}

/** Identity of a chip, for removing it. A cell and a notebook are what they are, however they are called. */
export function chipKey(item: ContextItem): string {
  const isNamed = item.kind !== 'cell' && item.kind !== 'notebook';
  return [item.kind, item.path, item.cell_id, isNamed ? item.name : ''].join(
    '\n'
  );
}
