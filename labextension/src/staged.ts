/* What of her work belongs into an open notebook: changes that wait for answers, and fresh ones to look over. Pure. */

import type { ChatLog } from './reduce';
import type { State } from './store';
import type { Call, Diff, Json, Question } from './types';

/** What to show at a cell: a change that waits for an answer (`question`), or one that is done, by one call or several. */
export interface Staged {
  key: string;
  path: string;
  /** The cell it is shown at. */
  cellId: string;
  /** Where a cell that is not there yet would be; null for one that is, -1 for the end. */
  index: number | null;
  sentence: string;
  diffs: Diff[];
  question: Question | null;
  /** It was accepted, and is done once the other questions of its step are answered. */
  isHeld: boolean;
  calls: Call[];
  /** Why it could not be taken back, at the last try. */
  words: string;
}

/** Tools whose questions and effects are changes of cells. */
const CHANGES = new Set([
  'insert_cell',
  'edit_cell',
  'delete_cell',
  'move_cell',
  'split_cell',
  'merge_cells',
  'change_cell_type',
  'clear_outputs'
]);

/** Those of them that change nothing but a cell's text, and can be shown as one. */
const TEXTS = new Set(['insert_cell', 'edit_cell']);

/** Whether a question was answered with yes, and its call waits for the other questions of its step. */
export function isHeld(log: ChatLog | undefined, question: Question): boolean {
  return (
    log?.calls[question.call_id ?? '']?.state === 'asked' &&
    question.kind === 'approval' &&
    (question.answer === 'once' || question.answer === 'always') &&
    Object.values(log.questions).some(
      one => one.run_id === question.run_id && one.state === 'open'
    )
  );
}

/** Questions about cells first, open and held ones, then changes of this session that nobody looked over. */
export function stagedIn(state: State): Staged[] {
  const found: Staged[] = [];
  const held = Object.values(state.logs).flatMap(log =>
    Object.values(log.questions).filter(question => isHeld(log, question))
  );
  for (const question of [...state.questions, ...held]) {
    if (question.kind === 'approval' && CHANGES.has(question.tool)) {
      const place = placeOf(question.arguments);
      if (place) {
        const { sentence, diffs, code } = question.preview;
        const shown = diffs.length > 0 ? diffs : inserted(code);
        found.push({
          key: question.question_id,
          ...place,
          sentence,
          diffs: shown,
          question,
          isHeld: question.state !== 'open',
          calls: [],
          words: ''
        });
      }
    }
  }
  for (const log of Object.values(state.logs)) {
    found.push(...freshIn(state, log));
  }
  return found;
}

/** The changes of one chat that are done and that nobody looked over; those of one cell that follow each other are one. */
function freshIn(state: State, log: ChatLog): Staged[] {
  const found: Staged[] = [];
  const lastAt = new Map<string, number>();
  for (const entry of Object.values(log.journal)) {
    const call = log.calls[entry.call_id];
    const isFresh =
      entry.kind === 'cells' &&
      entry.state === 'done' &&
      call?.state === 'done' &&
      state.fresh.includes(entry.call_id) &&
      !state.lookedOver.includes(entry.call_id);
    const place = isFresh ? placeOf(call.arguments) : null;
    if (!place) {
      continue;
    }
    const cellId = place.cellId || `linda-new:${String(entry.call_id)}`;
    const one: Staged = {
      key: entry.call_id,
      path: entry.path,
      cellId: newCellOf(call) ?? cellId,
      index: null,
      sentence: call.title,
      diffs: call.diffs,
      question: null,
      isHeld: false,
      calls: [call],
      words: entry.words
    };
    const cell = JSON.stringify([one.path, one.cellId]);
    const at = lastAt.get(cell);
    if (at !== undefined && goesOn(found[at], one)) {
      found[at] = joined(found[at], one);
    } else {
      lastAt.set(cell, found.push(one) - 1);
    }
  }
  return found;
}

/** Whether a change of a cell's text begins where the one before it ended: nobody wrote in between. */
function goesOn(before: Staged, after: Staged): boolean {
  return (
    [before, after].every(one => TEXTS.has(one.calls[0].name)) &&
    before.diffs.length === 1 &&
    after.diffs.length === 1 &&
    before.diffs[0].new === after.diffs[0].old
  );
}

function joined(before: Staged, after: Staged): Staged {
  return {
    ...before,
    diffs: [{ ...before.diffs[0], new: after.diffs[0].new }],
    calls: [...before.calls, ...after.calls],
    words: after.words || before.words
  };
}

function inserted(code: string): Diff[] {
  return code ? [{ label: '', old: '', new: code }] : [];
}

function placeOf(
  value: Json
): Pick<Staged, 'path' | 'cellId' | 'index'> | null {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    return null;
  }
  const { path, cell_id, cell_ids, index } = value;
  if (typeof path !== 'string') {
    return null;
  }
  const first = Array.isArray(cell_ids) ? cell_ids[0] : cell_id;
  if (typeof first === 'string' && first) {
    return { path, cellId: first, index: null };
  }
  return { path, cellId: '', index: typeof index === 'number' ? index : -1 };
}

/** The cell that an insert made, as its result names it. */
function newCellOf(call: Call): string | null {
  return call.name === 'insert_cell'
    ? (/\bid=([\w-]+)/.exec(call.result)?.[1] ?? null)
    : null;
}
