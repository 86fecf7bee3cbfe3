/* The line under the messages: what the newest run is doing, or what it took. */

import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

import { useFrame, useStore } from '../frame';
import { duration } from '../moments';
import { activeRun, shownPath, type ChatLog } from '../reduce';
import type { Message, Run } from '../types';
import { ProblemNote } from './problem';

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
  const isTold = Object.values(log.messages).some(
    message => message.run_id === run.run_id && message.error
  );
  const asked = log.messages[run.message_id];
  return (
    <>
      {run.problem && !isTold && (
        <ProblemNote problem={run.problem}>
          {asked && (
            <button
              type="button"
              className="linda-Link"
              onClick={() => void actions.retry(asked)}
            >
              {trans.__('Retry')}
            </button>
          )}
        </ProblemNote>
      )}
      {words && (
        <p className="linda-RunLine" role="status">
          {words}
        </p>
      )}
    </>
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
