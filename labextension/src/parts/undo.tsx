/* Undo and redo: of one card, of a reply, and of everything since a message. */

import { undoIcon } from '@jupyterlab/ui-components';
import React from 'react';

import { sameItems, useFrame, useStore } from '../frame';
import { entriesOf, type ChatLog } from '../reduce';
import type { Call, JournalEntry, Message, Question, Run } from '../types';

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

/** The way back of an "always". */
export function GrantUndo(props: { question: Question }): JSX.Element | null {
  const { question } = props;
  const { trans } = useFrame();
  const entries = useStore(
    state =>
      entriesOf(state.logs[question.chat_id], 'call_id', question.question_id),
    sameItems
  );
  return entries.length === 0 ? null : (
    <Turn
      entries={entries}
      chatId={question.chat_id}
      wish={{ call_id: question.question_id }}
      words={trans.__('Take the “always” back')}
    />
  );
}

/** A checkpoint: everything since a message was sent. */
export function SinceUndo(props: { message: Message }): JSX.Element | null {
  const { message } = props;
  const { actions, trans } = useFrame();
  const isTurning = useStore(state => state.isTurning);
  const since = useStore(state => {
    const log = state.logs[message.chat_id];
    return log ? runToUndo(log, message.message_id) : null;
  });
  return since === null ? null : (
    <button
      type="button"
      className="linda-IconButton"
      disabled={isTurning}
      title={trans.__('Undo all changes since this message')}
      aria-label={trans.__('Undo all changes since this message')}
      onClick={() => void actions.undo(message.chat_id, { since_run: since })}
    >
      <undoIcon.react tag="span" />
    </button>
  );
}

/** The first run of a message, if anything was changed in it or since and is not undone. */
function runToUndo(log: ChatLog, messageId: string): string | null {
  const runs = Object.values(log.runs).filter(
    run => run.message_id === messageId
  );
  runs.sort((a, b) => a.queued_at.localeCompare(b.queued_at));
  const first = runs[0];
  const isAnything =
    first !== undefined &&
    Object.values(log.journal).some(
      entry => entry.state === 'done' && entry.at >= first.queued_at
    );
  return isAnything ? first.run_id : null;
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
  const count = callsOf(entries);
  const left = callsOf(entries.filter(entry => entry.state !== 'undone'));
  if (!isOver || count < 2) {
    return null;
  }
  return (
    <Turn
      entries={entries}
      chatId={run.chat_id}
      wish={{ run_id: run.run_id }}
      words={
        left < count
          ? trans._n(
              'Undo the %1 change of this reply that is left',
              'Undo the %1 changes of this reply that are left',
              left,
              left
            )
          : trans._n(
              'Undo the %1 change of this reply',
              'Undo all %1 changes of this reply',
              count,
              count
            )
      }
    />
  );
}

function callsOf(entries: JournalEntry[]): number {
  return new Set(entries.map(entry => entry.call_id)).size;
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
