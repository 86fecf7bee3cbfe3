/* The line under the messages: what the newest run is doing, or what it took. */

import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

import { sameItems, useFrame, useStore } from '../frame';
import { duration } from '../moments';
import { activeRun, isActive, shownPath, type ChatLog } from '../reduce';
import type { Message, Run } from '../types';
import { ProblemNote } from './problem';
import { RunUndo } from './undo';
import { WaitLine } from './waiting';

export function RunLine(): JSX.Element | null {
  const log = useStore(state =>
    state.current ? state.logs[state.current] : undefined
  );
  const { trans } = useFrame();
  const run = log && (activeRun(log) ?? lastShown(log));
  if (!run) {
    return null;
  }
  const words = runWords(run, log, trans);
  const wait = run.state === 'running' ? log.waits[run.run_id] : undefined;
  return (
    <>
      <RunEnd run={run} isLast={true} />
      <RunUndo run={run} />
      {wait ? (
        <WaitLine wait={wait} />
      ) : (
        words && (
          <p className="linda-RunLine" role="status">
            {words}
          </p>
        )
      )}
      {!isActive(run) && <TraceLink run={run} />}
    </>
  );
}

/** How the run behind a message ended, where the conversation went on after it. */
export function TurnEnd(props: { message: Message }): JSX.Element | null {
  const { message } = props;
  const run = useStore(state => {
    const log = state.logs[message.chat_id];
    return log && runBehind(log, message);
  });
  const isBad = run && !isActive(run) && run.state !== 'done';
  return isBad ? <RunEnd run={run} isLast={false} /> : null;
}

/** Below a message that waits while another of the chat is answered. */
export function QueuedLine(props: { message: Message }): JSX.Element | null {
  const { message } = props;
  const { trans } = useFrame();
  const isQueued = useStore(state => {
    const log = state.logs[message.chat_id];
    const run = log && runOf(log, message);
    return run?.state === 'queued' && activeRun(log) !== run;
  });
  return isQueued ? (
    <p className="linda-RunLine">
      {trans.__('Waits for the answer before it')}
    </p>
  ) : null;
}

/** What went wrong with a run, or how it was ended, where no message of it says so itself. */
function RunEnd(props: { run: Run; isLast: boolean }): JSX.Element | null {
  const { actions, trans } = useFrame();
  const { run } = props;
  const mine = useStore(
    state =>
      Object.values(state.logs[run.chat_id]?.messages ?? {}).filter(
        one => one.run_id === run.run_id && one.role === 'assistant'
      ),
    sameItems
  );
  const asked = useStore(
    state => state.logs[run.chat_id]?.messages[run.message_id]
  );
  const isTold = mine.some(message => message.error);
  if (run.problem && !isTold) {
    return (
      <ProblemNote problem={run.problem}>
        {asked && <RetryLink message={asked} />}
      </ProblemNote>
    );
  }
  const isCut = mine.some(message => endLabel(message.status, trans));
  const label = isTold || isCut ? '' : endLabel(run.state, trans);
  return label ? (
    <div className="linda-Ended">
      <span>{label}</span>
      {asked && <RetryLink message={asked} />}
      {props.isLast && (
        <button
          type="button"
          className="linda-Link"
          onClick={() =>
            void actions.sendText(trans.__('Continue where you stopped.'))
          }
        >
          {trans.__('Continue')}
        </button>
      )}
    </div>
  ) : null;
}

/** The way to everything about a run. */
function TraceLink(props: { run: Run }): JSX.Element {
  const { actions, trans } = useFrame();
  return (
    <button
      type="button"
      className="linda-Link linda-TraceLink"
      title={trans.__('Why did she do that?')}
      onClick={() => actions.showTrace(props.run.run_id)}
    >
      {trans.__('Trace')}
    </button>
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
    const run = runBehind(log, path[at]);
    if (run) {
      return run;
    }
  }
  return undefined;
}

/** The run that wrote a message, or the newest that answers it. */
function runBehind(log: ChatLog, message: Message): Run | undefined {
  return log.runs[message.run_id ?? ''] ?? runOf(log, message);
}

function runOf(log: ChatLog, message: Message): Run | undefined {
  return Object.values(log.runs)
    .filter(run => run.message_id === message.message_id)
    .sort((a, b) => a.queued_at.localeCompare(b.queued_at))
    .pop();
}

/** Who answered: not always the model that was chosen. */
function modelsOf(run: Run, log: ChatLog): string[] {
  const answered = Object.values(log.messages)
    .filter(one => one.run_id === run.run_id && one.role === 'assistant')
    .map(one => one.model)
    .filter(Boolean);
  return answered.length > 0 ? [...new Set(answered)] : [run.model];
}

function runWords(run: Run, log: ChatLog, trans: TranslationBundle): string {
  const used = tokensOf(run, log);
  const facts = [
    run.steps > 0 ? trans._n('%1 step', '%1 steps', run.steps, run.steps) : '',
    used > 0 ? trans.__('%1 tokens', used.toLocaleString()) : ''
  ];
  if (isActive(run) && run.problem) {
    return ''; /* It does not go on: its problem says why. */
  }
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
      return [
        ...facts,
        duration(run.started_at, run.ended_at),
        ...modelsOf(run, log)
      ]
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
