/* Undo and redo: of one card, of a reply, and of everything since a message. */

import React from 'react';

import { sameItems, useFrame, useStore } from '../frame';
import { entriesOf } from '../reduce';
import type { Call, JournalEntry, Run } from '../types';

/** The way back of one card's changes. */
export function CallUndo(props: { call: Call }): JSX.Element | null {
  const { call } = props;
  const entries = useStore(
    state => entriesOf(state.logs[call.chat_id], 'call_id', call.call_id),
    sameItems
  );
  if (call.state !== 'done' || entries.length === 0) {
    return null;
  }
  return (
    <Turn
      entries={entries}
      chatId={call.chat_id}
      wish={{ call_id: call.call_id }}
    />
  );
}

/** The way back of a whole reply, where it made more than one change. */
export function RunUndo(props: { run: Run }): JSX.Element | null {
  const { run } = props;
  const { trans } = useFrame();
  const entries = useStore(
    state => entriesOf(state.logs[run.chat_id], 'run_id', run.run_id),
    sameItems
  );
  const isOver = !['queued', 'running', 'waiting'].includes(run.state);
  const count = new Set(entries.map(entry => entry.call_id)).size;
  if (!isOver || count < 2) {
    return null;
  }
  return (
    <Turn
      entries={entries}
      chatId={run.chat_id}
      wish={{ run_id: run.run_id }}
      words={trans._n(
        'Undo the %1 change of this reply',
        'Undo all %1 changes of this reply',
        count,
        count
      )}
    />
  );
}

function Turn(props: {
  entries: JournalEntry[];
  chatId: string;
  wish: { call_id?: string; run_id?: string };
  words?: string;
}): JSX.Element {
  const { actions, trans } = useFrame();
  const isTurning = useStore(state => state.isTurning);
  const { chatId, entries, wish } = props;
  const isUndone = entries.every(entry => entry.state === 'undone');
  const refusals = [...new Set(entries.map(entry => entry.words))].filter(
    Boolean
  );
  return (
    <div className="linda-Undo">
      {isUndone && <span>{trans.__('Undone.')}</span>}
      <button
        type="button"
        className="linda-Link"
        disabled={isTurning}
        onClick={() =>
          void (isUndone
            ? actions.redo(chatId, wish)
            : actions.undo(chatId, wish))
        }
      >
        {isUndone ? trans.__('Do it again') : (props.words ?? trans.__('Undo'))}
      </button>
      {refusals.map(words => (
        <span key={words} role="status" className="linda-Undo-words">
          {words}
        </span>
      ))}
    </div>
  );
}
