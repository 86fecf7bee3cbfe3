/* The whole state: home events, questions, and what a frame asks for. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { logFrom } from '../src/reduce';
import {
  START,
  Store,
  dropChat,
  noticeOf,
  placeQuestion,
  reduceEvents,
  type State
} from '../src/store';
import type { Task } from '../src/types';
import { CHAT_ID, chat, event, message, question, task, view } from './events';

const HOME = 'home:local';
const open = (change: Partial<State> = {}): State => ({
  ...START,
  chats: [chat()],
  logs: { [CHAT_ID]: logFrom(view()) },
  ...change
});

test('chat.changed puts the chat first and reports before and after', () => {
  const before = open({ chats: [chat(), chat({ chat_id: 'other' })] });
  const changed = chat({
    chat_id: 'other',
    title: 'New',
    updated_at: '2027-01-01T00:00:00Z'
  });
  const { state, aftermath } = reduceEvents(before, [
    event(1, 'chat.changed', { chat: changed }, HOME)
  ]);
  assert.equal(state.chats[0].title, 'New');
  assert.equal(state.homeSeq, 1);
  assert.equal(aftermath.chats[0].before?.title, 'Sales');
});

test('home events seen before are ignored, and a jump loads the list again', () => {
  const before = open({ homeSeq: 4 });
  const old = reduceEvents(before, [
    event(4, 'chat.deleted', { chat_id: CHAT_ID }, HOME)
  ]);
  assert.equal(old.state.chats.length, 1);
  const jump = reduceEvents(before, [
    event(7, 'chat.deleted', { chat_id: CHAT_ID }, HOME)
  ]);
  assert.equal(jump.state.chats.length, 0);
  assert.equal(jump.aftermath.isHomeStale, true);
});

test('a gap of one chat is reported with the seq to ask from, and spares the others', () => {
  const before = open({
    logs: {
      [CHAT_ID]: logFrom(view({ seq: 3 })),
      two: logFrom(view({ seq: 0 }))
    }
  });
  const { state, aftermath } = reduceEvents(before, [
    event(6, 'message.added', { message: message({}) }),
    event(1, 'message.added', { message: message({ message_id: 'x' }) }, 'two')
  ]);
  assert.deepEqual([...aftermath.gaps], [[CHAT_ID, 3]]);
  assert.equal(state.logs.two.messages.x.message_id, 'x');
});

test('events of chats that are not loaded change nothing', () => {
  const before = open({ logs: {} });
  const { state } = reduceEvents(before, [
    event(1, 'message.added', { message: message({}) })
  ]);
  assert.deepEqual(state.logs, {});
});

test('question.changed keeps the list of open questions', () => {
  const asked = reduceEvents(open(), [
    event(1, 'question.changed', { question: question() })
  ]);
  assert.equal(asked.state.questions.length, 1);
  const answered = question({
    state: 'answered',
    answer: 'once',
    answered_by: 'ana'
  });
  const done = reduceEvents(asked.state, [
    event(2, 'question.changed', { question: answered })
  ]);
  assert.equal(done.state.questions.length, 0);
  assert.equal(done.state.logs[CHAT_ID].questions.q1.answered_by, 'ana');
});

test('an answer from this tab shows before its event comes', () => {
  const state = placeQuestion(
    open({ questions: [question()] }),
    question({ state: 'answered' })
  );
  assert.equal(state.questions.length, 0);
  assert.equal(state.logs[CHAT_ID].questions.q1.state, 'answered');
});

test('deleting the open chat goes back to the list', () => {
  const state = dropChat(open({ current: CHAT_ID, view: 'chat' }), CHAT_ID);
  assert.equal(state.current, null);
  assert.equal(state.view, 'chats');
  assert.deepEqual(state.logs, {});
});

test("the last event of a chat's own stream takes the chat away", () => {
  const before = open({ current: CHAT_ID, view: 'chat' });
  const { state } = reduceEvents(before, [
    event(9, 'chat.deleted', { chat_id: CHAT_ID })
  ]);
  assert.deepEqual(state.logs, {});
  assert.deepEqual(state.chats, []);
  assert.equal(state.view, 'chats');
});

test('settings and rules changes are passed on', () => {
  const { aftermath } = reduceEvents(open(), [
    event(1, 'settings.changed', { default_model: 'x' }, HOME),
    event(2, 'rules.changed', { problem: null }, HOME)
  ]);
  assert.equal(aftermath.isSettingsChanged && aftermath.isRulesChanged, true);
});

test('the store emits once for each update', () => {
  const store = new Store();
  let count = 0;
  store.changed.connect(() => {
    count += 1;
  });
  store.update({ query: 'a' });
  store.update(state => ({ query: state.query + 'b' }));
  assert.equal(count, 2);
  assert.equal(store.state.query, 'ab');
});

test('a toast is due when a question opens or a busy run ends, else not', () => {
  const running = chat({ state: 'running' });
  assert.equal(
    noticeOf(running, chat({ state: 'waiting', waiting: 1 })),
    'question'
  );
  assert.equal(noticeOf(running, chat({ state: 'done' })), 'done');
  assert.equal(noticeOf(running, chat({ state: 'failed' })), 'failed');
  assert.equal(noticeOf(running, chat({ state: 'stopped' })), null);
  assert.equal(
    noticeOf(chat({ state: 'done' }), chat({ state: 'done', title: 'x' })),
    null
  );
  assert.equal(noticeOf(undefined, chat({ state: 'done' })), null);
});

test('tasks come open first, then by due date; a list never loaded stays so', () => {
  const changed = (seq: number, one: object, is_deleted = false) => ({
    ...event(seq, 'task.changed', { task: one, is_deleted }),
    chat_id: 'home:local'
  });
  const list = (tasks: Task[] | null): State => ({ ...START, tasks });
  const titles = (state: State): string[] | undefined =>
    state.tasks?.map(one => one.title);
  let { state } = reduceEvents(list([]), [
    changed(1, task({ task_id: 'a', title: 'none' })),
    changed(2, task({ task_id: 'b', title: 'late', due: '2026-02-01' })),
    changed(3, task({ task_id: 'c', title: 'soon', due: '2026-01-01' })),
    changed(4, task({ task_id: 'd', title: 'over', status: 'done' }))
  ]);
  assert.deepEqual(titles(state), ['soon', 'late', 'none', 'over']);
  ({ state } = reduceEvents(state, [
    changed(5, task({ task_id: 'c', title: 'soon', status: 'done' })),
    changed(6, task({ task_id: 'b' }), true)
  ]));
  assert.deepEqual(titles(state)?.sort(), ['none', 'over', 'soon']);
  ({ state } = reduceEvents(list(null), [changed(1, task())]));
  assert.equal(state.tasks, null);
});
