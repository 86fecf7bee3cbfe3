/* What a run waits for before its model is asked again (pure). */

import type { Event, ModelRetrying } from './types';

/** A wait between two tries of a model; `until` is when the next begins. */
export interface Waiting extends ModelRetrying {
  until: number;
}

/** The waits by run after an event: whatever else comes of a run ends its wait. */
export function waitsAfter(
  waits: Record<string, Waiting>,
  event: Event
): Record<string, Waiting> {
  const runId = event.run_id;
  if (runId && event.kind === 'model.retrying') {
    const told = event.payload as unknown as ModelRetrying;
    const until = Date.parse(event.at) + told.wait_s * 1000;
    return { ...waits, [runId]: { ...told, until } };
  }
  if (!runId || !waits[runId]) {
    return waits;
  }
  const left = { ...waits };
  delete left[runId];
  return left;
}

/** Whole seconds until the next try, never more than were told: clocks differ. */
export function secondsLeft(wait: Waiting, now: number): number {
  const left = Math.ceil((wait.until - now) / 1000);
  return Math.max(0, Math.min(left, Math.ceil(wait.wait_s)));
}
