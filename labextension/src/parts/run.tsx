/* The line under the messages: what the newest run is doing, or what it took. */

import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

import { useFrame, useStore } from '../frame';
import { duration } from '../moments';
import { activeRun, shownPath, type ChatLog } from '../reduce';
import type { Message, Run } from '../types';
import { ProblemNote } from './problem';
import { RunUndo } from './undo';

export function RunLine(): JSX.Element | null {
  const { actions, trans } = useFrame();
  const log = useStore(state =>
    state.current ? state.logs[state.current] : undefined
  );
  if (!log) {
    return null;
  }
  const run = activeRun(log) ?? lastShown(log);
  if (!run) {
    return null;
  }
  const words = runWords(run, log, trans);
  const mine = Object.values(log.messages).filter(
    message => message.run_id === run.run_id && message.role === 'assistant'
  );
  const isTold = mine.some(message => message.error);
  /* A message that was cut says so itself; a run stopped between messages is said here. */
  const isCut = mine.some(message =>
    ['stopped', 'interrupted', 'failed'].includes(message.status)
  );
  const label =
    isTold || isCut || run.problem ? '' : endLabel(run.state, trans);
  const asked = log.messages[run.message_id];
  return (
    <>
      {run.problem && !isTold && (
        <ProblemNote problem={run.problem}>
          {asked && <RetryLink message={asked} />}
        </ProblemNote>
      )}
      {label && (
        <div className="linda-Ended">
          <span>{label}</span>
          {asked && <RetryLink message={asked} />}
          <button
            type="button"
            className="linda-Link"
            onClick={() =>
              void actions.sendText(trans.__('Continue where you stopped.'))
            }
          >
            {trans.__('Continue')}
          </button>
        </div>
      )}
      <RunUndo run={run} />
      {words && (
        <p className="linda-RunLine" role="status">
          {words}
        </p>
      )}
    </>
  );
}

function RetryLink(props: { message: Message }): JSX.Element {
  const { actions, trans } = useFrame();
  return (
    <button
      type="button"
      className="linda-Link"
      onClick={() => void actions.retry(props.message)}
    >
      {trans.__('Retry')}
    </button>
  );
}

/** The run behind the last message that is shown. */
function lastShown(log: ChatLog): Run | undefined {
  const path = shownPath(log);
  for (let at = path.length - 1; at >= 0; at--) {
    const run = log.runs[path[at].run_id ?? ''] ?? runOf(log, path[at]);
    if (run) {
      return run;
    }
  }
  return undefined;
}

function runOf(log: ChatLog, message: Message): Run | undefined {
  return Object.values(log.runs)
    .filter(run => run.message_id === message.message_id)
    .sort((a, b) => a.queued_at.localeCompare(b.queued_at))
    .pop();
}

function runWords(run: Run, log: ChatLog, trans: TranslationBundle): string {
  const used = tokensOf(run, log);
  const facts = [
    run.steps > 0 ? trans._n('%1 step', '%1 steps', run.steps, run.steps) : '',
    used > 0 ? trans.__('%1 tokens', used.toLocaleString()) : ''
  ];
  switch (run.state) {
    case 'queued':
      return trans.__('Waits for the answer before it');
    case 'running':
      return [trans.__('Working'), ...facts].filter(Boolean).join(' · ');
    case 'waiting':
      return [trans.__('Waiting for you'), ...facts]
        .filter(Boolean)
        .join(' · ');
    case 'done':
      return [...facts, duration(run.started_at, run.ended_at), run.model]
        .filter(Boolean)
        .join(' · ');
    default:
      return facts.filter(Boolean).join(' · ');
  }
}

function tokensOf(run: Run, log: ChatLog): number {
  return Object.values(log.messages)
    .filter(message => message.run_id === run.run_id && message.usage)
    .reduce(
      (sum, { usage }) =>
        sum + (usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0),
      0
    );
}

/** How a message or a run ended, where it did not end well. */
export function endLabel(
  state: Message['status'] | Run['state'],
  trans: TranslationBundle
): string {
  switch (state) {
    case 'stopped':
      return trans.__('Stopped by you.');
    case 'interrupted':
      return trans.__('The reply was cut off.');
    case 'failed':
      return trans.__('The reply failed.');
    default:
      return '';
  }
}
