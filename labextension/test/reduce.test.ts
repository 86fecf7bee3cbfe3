/* Events of a chat: order, gaps, folding, replacing, branches. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  activeRun,
  applyEvents,
  choose,
  entriesOf,
  leafOf,
  logFrom,
  putMessage,
  shownPath,
  siblingsOf,
  type ChatLog
} from '../src/reduce';
import type { Event, Message } from '../src/types';
import { secondsLeft } from '../src/waiting';
import { call, entry, event, message, run, view } from './events';

const start = (): ChatLog => logFrom(view());
const ids = (log: ChatLog): string[] =>
  shownPath(log).map(one => one.message_id);
const added = (seq: number, change: Parameters<typeof message>[0]) =>
  event(seq, 'message.added', { message: message(change) });
const delta = (seq: number, text: string, reasoning = '') =>
  event(seq, 'message.delta', { message_id: 'm2', text, reasoning });

test('a wait is shown until anything else comes of its run', () => {
  const told = {
    message_id: 'm2',
    kind: 'rate_limit',
    message: 'Wait.',
    wait_s: 4,
    model: 'a',
    next_model: 'a'
  };
  const waits = (seq: number, run_id: string): Event => ({
    ...event(seq, 'model.retrying', told),
    run_id
  });
  let { log } = applyEvents(start(), [waits(1, 'run-1'), waits(2, 'run-2')]);
  const begun = Date.parse(event(1, 'model.retrying', told).at);
  assert.equal(secondsLeft(log.waits['run-1'], begun + 900), 4);
  assert.equal(secondsLeft(log.waits['run-1'], begun + 3100), 1);
  assert.equal(secondsLeft(log.waits['run-1'], begun + 9000), 0);
  assert.equal(secondsLeft(log.waits['run-1'], begun - 60_000), 4);
  const first = { ...added(3, { message_id: 'm2' }), run_id: 'run-1' };
  ({ log } = applyEvents(log, [first]));
  assert.deepEqual(Object.keys(log.waits), ['run-2']);
});

test('deltas are appended to their message, and only that message changes', () => {
  let { log } = applyEvents(start(), [
    added(1, { message_id: 'm1', text: 'hi' }),
    added(2, {
      message_id: 'm2',
      parent_id: 'm1',
      role: 'assistant',
      status: 'streaming'
    })
  ]);
  const user = log.messages.m1;
  ({ log } = applyEvents(log, [delta(3, 'Hel', 'hm'), delta(4, 'lo')]));
  assert.equal(log.messages.m2.text, 'Hello');
  assert.equal(log.messages.m2.reasoning, 'hm');
  assert.equal(log.messages.m1, user);
  assert.equal(log.seq, 4);
});

test('events already seen are ignored', () => {
  const events = [added(1, { message_id: 'm2' }), delta(2, 'once')];
  const { log } = applyEvents(start(), events);
  const again = applyEvents(log, events);
  assert.equal(again.log.messages.m2.text, 'once');
  assert.equal(again.gap, false);
});

test('a jump in seq stops the work and reports a gap', () => {
  const { log, gap } = applyEvents(start(), [
    added(1, { message_id: 'm2' }),
    delta(3, 'lost'),
    delta(4, 'more')
  ]);
  assert.equal(gap, true);
  assert.equal(log.seq, 1);
  assert.equal(log.messages.m2.text, '');
});

test('after a gap the events asked for again fit', () => {
  const first = applyEvents(start(), [
    added(1, { message_id: 'm2' }),
    delta(3, 'c')
  ]);
  const { log, gap } = applyEvents(first.log, [delta(2, 'b'), delta(3, 'c')]);
  assert.equal(gap, false);
  assert.equal(log.messages.m2.text, 'bc');
});

test('message.done sets status, usage and error', () => {
  const usage = { input_tokens: 3, output_tokens: 2, cached_tokens: 0 };
  const { log } = applyEvents(start(), [
    added(1, { message_id: 'm2', status: 'streaming' }),
    event(2, 'message.done', {
      message_id: 'm2',
      status: 'interrupted',
      tool_calls: [],
      usage,
      error: null
    })
  ]);
  assert.equal(log.messages.m2.status, 'interrupted');
  assert.deepEqual(log.messages.m2.usage, usage);
});

test('a replaced message is hidden and its successor stands in its place', () => {
  const { log } = applyEvents(start(), [
    added(1, { message_id: 'm1' }),
    added(2, { message_id: 'm2', parent_id: 'm1', role: 'assistant' }),
    event(3, 'message.replaced', { message_id: 'm2' }),
    added(4, { message_id: 'm3', parent_id: 'm1', role: 'assistant' })
  ]);
  assert.deepEqual(ids(log), ['m1', 'm3']);
  assert.equal(siblingsOf(log, log.messages.m3).length, 1);
});

test('a child of a replaced message moves to the nearest shown ancestor', () => {
  const { log } = applyEvents(start(), [
    added(1, { message_id: 'm1' }),
    added(2, { message_id: 'm2', parent_id: 'm1', status: 'replaced' }),
    added(3, { message_id: 'm3', parent_id: 'm2' })
  ]);
  assert.deepEqual(ids(log), ['m1', 'm3']);
});

test('folded chunks already seen only move on; unseen ones ask for the chat again', () => {
  const seen = applyEvents(logFrom(view({ seq: 9 })), [
    event(9, 'folded', { from_seq: 2, to_seq: 8 })
  ]);
  assert.deepEqual([seen.log.seq, seen.gap, seen.stale], [9, false, false]);
  const unseen = applyEvents(logFrom(view({ seq: 1 })), [
    event(2, 'folded', { from_seq: 2, to_seq: 8 }),
    added(9, { message_id: 'm9' })
  ]);
  assert.deepEqual(
    [unseen.log.seq, unseen.gap, unseen.stale],
    [9, false, true]
  );
  const beyond = applyEvents(logFrom(view({ seq: 1 })), [
    event(5, 'folded', { from_seq: 5, to_seq: 8 })
  ]);
  assert.equal(beyond.gap, true);
});

test('progress is dropped when its call ends', () => {
  let { log } = applyEvents(start(), [
    event(1, 'call.changed', { call: call() }),
    event(2, 'call.progress', { call_id: 'c1', text: 'epoch 1' })
  ]);
  assert.equal(log.progress.c1, 'epoch 1');
  ({ log } = applyEvents(log, [
    event(3, 'call.changed', { call: call({ state: 'done' }) })
  ]));
  assert.equal('c1' in log.progress, false);
});

test('an unknown kind counts its seq and changes nothing', () => {
  const { log, gap } = applyEvents(start(), [event(1, 'from.the.future', {})]);
  assert.equal(gap, false);
  assert.equal(log.seq, 1);
});

test('the newest branch shows until another is chosen', () => {
  let { log } = applyEvents(start(), [
    added(1, { message_id: 'm1', created_at: '2026-01-01T00:00:01Z' }),
    added(2, { message_id: 'a1', parent_id: 'm1', role: 'assistant' }),
    added(3, { message_id: 'm2', created_at: '2026-01-01T00:00:05Z' }),
    added(4, { message_id: 'a2', parent_id: 'm2', role: 'assistant' })
  ]);
  assert.deepEqual(ids(log), ['m2', 'a2']);
  log = choose(log, log.messages.m1);
  assert.deepEqual(ids(log), ['m1', 'a1']);
  assert.deepEqual(
    siblingsOf(log, log.messages.m1).map(one => one.message_id),
    ['m1', 'm2']
  );
});

test('choosing a deep message shows the whole way to it', () => {
  let { log } = applyEvents(start(), [
    added(1, { message_id: 'm1', created_at: '2026-01-01T00:00:01Z' }),
    added(2, { message_id: 'm2', created_at: '2026-01-01T00:00:02Z' }),
    added(3, {
      message_id: 'a1',
      parent_id: 'm1',
      created_at: '2026-01-01T00:00:03Z'
    }),
    added(4, {
      message_id: 'a2',
      parent_id: 'm1',
      created_at: '2026-01-01T00:00:04Z'
    })
  ]);
  log = choose(log, log.messages.a1);
  assert.deepEqual(ids(log), ['m1', 'a1']);
});

test('while a message is answered again its old answer is not shown', () => {
  const at = (second: number) => `2026-01-01T00:00:0${second}Z`;
  let log = logFrom(
    view({
      messages: [
        message({ message_id: 'm1', created_at: at(1) }),
        message({
          message_id: 'old',
          parent_id: 'm1',
          role: 'assistant',
          run_id: 'r1',
          created_at: at(2)
        })
      ],
      runs: [
        run({ run_id: 'r1', state: 'done', queued_at: at(1) }),
        run({ run_id: 'r2', state: 'queued', queued_at: at(3) })
      ]
    })
  );
  assert.deepEqual(ids(log), ['m1']);
  ({ log } = applyEvents(log, [
    added(1, { message_id: 'm2', parent_id: 'm1', created_at: at(4) })
  ]));
  assert.deepEqual(ids(log), ['m1', 'm2']);
  assert.deepEqual(ids(choose(log, log.messages.old)), ['m1', 'old']);
  ({ log } = applyEvents(log, [
    added(2, {
      message_id: 'new',
      parent_id: 'm1',
      role: 'assistant',
      run_id: 'r2',
      created_at: at(5)
    }),
    added(3, { message_id: 'm2', parent_id: 'new', created_at: at(4) })
  ]));
  assert.deepEqual(ids(log), ['m1', 'new', 'm2']);
});

test('a run that ends without an answer brings the old one back', () => {
  const { log } = applyEvents(
    logFrom(
      view({
        messages: [
          message({ message_id: 'm1' }),
          message({ message_id: 'old', parent_id: 'm1', role: 'assistant' })
        ],
        runs: [run({ run_id: 'r2', queued_at: '2026-01-01T00:00:09Z' })]
      })
    ),
    []
  );
  assert.deepEqual(ids(log), ['m1']);
  const stopped = applyEvents(log, [
    event(1, 'run.changed', { run: run({ run_id: 'r2', state: 'stopped' }) })
  ]);
  assert.deepEqual(ids(stopped.log), ['m1', 'old']);
});

test('loading a chat again keeps the chosen branch', () => {
  const messages = [
    message({ message_id: 'm1' }),
    message({ message_id: 'm2' })
  ];
  const log = choose(logFrom(view({ messages })), messages[0]);
  assert.deepEqual(ids(logFrom(view({ messages }), log)), ['m1']);
});

test('the run that holds the chat comes before queued ones', () => {
  const log = logFrom(
    view({
      runs: [
        run({ run_id: 'r1', state: 'done' }),
        run({ run_id: 'r2', state: 'queued' }),
        run({ run_id: 'r3', state: 'waiting' })
      ]
    })
  );
  assert.equal(activeRun(log)?.run_id, 'r3');
  assert.equal(
    activeRun(logFrom(view({ runs: [run({ state: 'stopped' })] }))),
    undefined
  );
});

test('what was changed is known by call and by run, as it stands now', () => {
  const changed = (seq: number, ...entries: object[]) =>
    event(seq, 'journal.changed', { entries });
  let { log } = applyEvents(start(), [
    changed(1, entry(), entry({ entry_id: 'c2/0', call_id: 'c2' }))
  ]);
  assert.equal(entriesOf(log, 'run_id', 'r1').length, 2);
  ({ log } = applyEvents(log, [
    changed(2, entry({ state: 'undone', words: '' }))
  ]));
  assert.deepEqual(
    entriesOf(log, 'call_id', 'c1').map(one => one.state),
    ['undone']
  );
  assert.equal(
    entriesOf(log, 'call_id', 'c2'),
    entriesOf(log, 'call_id', 'c2'),
    'counted once'
  );
  assert.deepEqual(entriesOf(undefined, 'run_id', 'r1'), []);
});

const answered = (): ChatLog =>
  logFrom(
    view({
      messages: [
        message({ message_id: 'm1' }),
        message({
          message_id: 'a1',
          parent_id: 'm1',
          run_id: 'r1',
          role: 'assistant'
        })
      ],
      runs: [run({ state: 'done' })]
    })
  );
const retried = (): ChatLog => {
  const log = answered();
  const retry = run({ run_id: 'r2', queued_at: '2026-11-29T12:00:01Z' });
  return { ...log, runs: { ...log.runs, r2: retry } };
};
const reply = (change: Partial<Message>): Message =>
  message({ parent_id: 'm1', run_id: 'r2', role: 'assistant', ...change });

test('a message behind a retry without a word yet follows what is answered again', () => {
  assert.equal(leafOf(answered()), 'a1');
  assert.equal(leafOf(retried()), 'm1');
  const log = retried();
  assert.equal(leafOf(choose(log, log.messages.a1)), 'a1');
});

test('a message goes to the branch that is shown, not to the one that runs', () => {
  let log = putMessage(retried(), reply({ message_id: 'a2' }));
  assert.deepEqual(ids(log), ['m1', 'a2']);
  assert.equal(leafOf(log), 'a2');
  log = choose(log, log.messages.a1);
  assert.equal(leafOf(log), 'a1');
});

test('a message that waits stands behind the whole answer before it, which stays in sight', () => {
  let log = retried();
  const next = message({ message_id: 'm2', parent_id: 'm1' });
  const waits = run({ run_id: 'r3', state: 'queued', message_id: 'm2' });
  log = putMessage({ ...log, runs: { ...log.runs, r3: waits } }, next);
  log = choose(log, next);
  assert.deepEqual(ids(log), ['m1', 'm2']);
  log = putMessage(log, reply({ message_id: 'a2' }));
  assert.deepEqual(ids(log), ['m1', 'a2', 'm2']);
  log = putMessage(log, reply({ message_id: 'a3', parent_id: 'a2' }));
  assert.deepEqual(ids(log), ['m1', 'a2', 'a3', 'm2']);
  assert.equal(leafOf(log), 'm2');
});

test('pins, summaries and the meter follow their events', () => {
  const summary = {
    summary_id: 's1',
    chat_id: 'c1',
    upto_message_id: 'm1',
    text: '- all of it',
    made_by: 'extract',
    tokens_before: 900,
    tokens_after: 30,
    at: '2026-01-01T00:00:00Z'
  };
  const meter = { used: 10, window: 100, parts: [] };
  const { log } = applyEvents(start(), [
    added(1, { message_id: 'm1' }),
    event(2, 'message.pinned', { message_id: 'm1', is_pinned: true }),
    event(3, 'summary.added', { summary }),
    event(4, 'summary.added', { summary: { ...summary, text: '- newer' } }),
    event(5, 'context.measured', { meter })
  ]);
  assert.equal(log.messages.m1.is_pinned, true);
  assert.equal(log.summaries.m1.text, '- newer');
  assert.equal(log.meter?.used, 10);
  const unpinned = { message_id: 'm1', is_pinned: false };
  const after = applyEvents(log, [event(6, 'message.pinned', unpinned)]);
  assert.equal(after.log.messages.m1.is_pinned, false);
});
