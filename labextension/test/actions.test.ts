/* What the composer sends: to the branch that is seen. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Actions } from '../src/actions';
import type { Api } from '../src/api';
import { choose, logFrom } from '../src/reduce';
import { carryOut } from '../src/slash';
import { Store } from '../src/store';
import type { Stream } from '../src/stream';
import type { ContextItem, NewChat, NewMessage } from '../src/types';
import { CHAT_ID, message, run, view } from './events';

const at = (second: number): string => `2026-01-01T00:00:0${second}Z`;

function rig() {
  const sent: NewMessage[] = [];
  const made: NewChat[] = [];
  const api = {
    newChat: (body: NewChat) => {
      made.push(body);
      return Promise.resolve(view().chat);
    },
    chat: () => Promise.resolve(view()),
    sendMessage: (_chatId: string, body: NewMessage) => {
      sent.push(body);
      return Promise.resolve({
        message: message({
          message_id: `sent-${sent.length}`,
          parent_id: body.parent_id,
          created_at: at(8)
        }),
        run: run({
          run_id: `run-${sent.length}`,
          state: 'queued',
          message_id: `sent-${sent.length}`,
          queued_at: at(8)
        })
      });
    },
    retry: () =>
      Promise.resolve({
        message: message({ message_id: 'm1', created_at: at(1) }),
        run: run({ run_id: 'again', queued_at: at(5) })
      })
  };
  const store = new Store();
  const actions = new Actions(
    api as unknown as Api,
    store,
    {} as unknown as Stream
  );
  const log = logFrom(
    view({
      messages: [
        message({ message_id: 'm1', created_at: at(1) }),
        message({
          message_id: 'a1',
          parent_id: 'm1',
          role: 'assistant',
          run_id: 'r1',
          created_at: at(2)
        })
      ],
      runs: [run({ run_id: 'r1', state: 'done', queued_at: at(1) })]
    })
  );
  store.update({ current: CHAT_ID, view: 'chat', logs: { [CHAT_ID]: log } });
  return { actions, store, sent, made };
}

test('a message follows the end of the branch that is seen', async () => {
  const { actions, sent } = rig();
  await actions.sendText('next');
  assert.equal(sent[0].parent_id, 'a1');
  await actions.sendText('and more');
  assert.equal(sent[1].parent_id, 'sent-1');
});

test('what was chosen for a new chat holds for that chat only', async () => {
  const { actions, store, made } = rig();
  for (const text of ['first', 'second']) {
    store.update({ current: null });
    if (text === 'first') {
      actions.setMode('edit');
    }
    await actions.sendText(text);
  }
  assert.deepEqual(
    made.map(one => one.mode),
    ['edit', 'ask']
  );
});

test('right after Retry a message follows the message that is answered again', async () => {
  const { actions, store, sent } = rig();
  await actions.retry(store.state.logs[CHAT_ID].messages.a1);
  await actions.sendText('next');
  assert.equal(sent[0].parent_id, 'm1');
});

test('who looks at an old answer while a new one goes on writes behind the old one', async () => {
  const { actions, store, sent } = rig();
  const { a1 } = store.state.logs[CHAT_ID].messages;
  await actions.retry(a1);
  store.update(state => ({
    logs: { [CHAT_ID]: choose(state.logs[CHAT_ID], a1) }
  }));
  await actions.sendText('next');
  assert.equal(sent[0].parent_id, 'a1');
});

test('the active cell that is attached besides goes along once, however it is called', async () => {
  const { actions, store, sent } = rig();
  const cell = (name: string): ContextItem => ({
    kind: 'cell',
    path: 'sub/a.ipynb',
    cell_id: 'c4',
    name,
    text: ''
  });
  store.update({ context: [cell('4')] });
  actions.attach([cell('cell-4')]);
  await actions.sendText('what is this');
  assert.deepEqual(sent[0].context, [cell('4')]);
});

test('a command in the place of a message takes its text only: what is attached goes with the next message', async () => {
  const { actions, store, sent } = rig();
  const data: ContextItem = {
    kind: 'file',
    path: 'data.csv',
    cell_id: '',
    name: 'data.csv',
    text: ''
  };
  const command = { name: 'review', label: '', isSent: true };
  actions.attach([data]);
  actions.setDraft({ text: '/rev', clientId: 'old' });
  await carryOut(
    { ...command, act: () => actions.setDraft({ text: '/review ' }) },
    actions
  );
  assert.deepEqual(store.state.drafts[CHAT_ID], {
    text: '/review ',
    editing: null,
    clientId: null,
    items: [data]
  });
  await carryOut(
    { ...command, act: () => actions.sendText('/review') },
    actions
  );
  assert.deepEqual(sent[0].context, [data]);
  assert.equal(sent[0].text, '/review');
});

test('rules that others changed meanwhile are shown before they are replaced', async () => {
  const asked: string[] = [];
  let file = 'newer';
  const rules = (text: string) => ({
    text,
    path: '',
    problem: null,
    policies: []
  });
  const api = {
    saveRules: (text: string, was: string) => {
      asked.push(was);
      if (was !== file) {
        return Promise.reject(new Error('changed meanwhile'));
      }
      file = text;
      return Promise.resolve(rules(file));
    },
    rules: () => Promise.resolve(rules(file))
  };
  const store = new Store();
  store.update({ rules: rules('older') });
  const actions = new Actions(
    api as unknown as Api,
    store,
    {} as unknown as Stream
  );
  assert.equal(await actions.saveRules('mine'), false);
  assert.equal(store.state.rules?.text, 'newer');
  assert.equal(file, 'newer');
  assert.equal(await actions.saveRules('mine'), true);
  assert.deepEqual(asked, ['older', 'newer']);
  assert.equal(store.state.rules?.text, 'mine');
});

test('an undo tells whether all of it was taken back', async () => {
  let states: string[] = [];
  const api = {
    undo: () =>
      states[0] === 'refused'
        ? Promise.reject(new Error('gone'))
        : Promise.resolve({ entries: states.map(state => ({ state })) })
  };
  const store = new Store();
  const actions = new Actions(
    api as unknown as Api,
    store,
    {} as unknown as Stream
  );
  for (const [told, isWhole] of [
    [['undone', 'undone'], true],
    [['undone', 'done'], false],
    [[], true],
    [['refused'], false]
  ] as [string[], boolean][]) {
    states = told;
    assert.equal(await actions.undo(CHAT_ID, { call_id: 'c1' }), isWhole);
    assert.equal(store.state.isTurning, false);
  }
});

test('levels that others changed meanwhile are shown before they are replaced', async () => {
  let file = 'newer';
  const levels = (text: string) => ({ text, path: '', problem: null });
  const api = {
    savePrivacy: (text: string, was: string) => {
      if (was !== file) {
        return Promise.reject(new Error('changed meanwhile'));
      }
      file = text;
      return Promise.resolve(levels(file));
    },
    privacy: () => Promise.resolve(levels(file)),
    consents: () => Promise.resolve({ consents: [] })
  };
  const store = new Store();
  store.update({ leaving: { privacy: levels('older'), consents: [] } });
  const actions = new Actions(
    api as unknown as Api,
    store,
    {} as unknown as Stream
  );
  assert.equal(await actions.savePrivacy('mine'), false);
  assert.equal(file, 'newer');
  assert.equal(store.state.leaving?.privacy.text, 'newer');
  assert.match(store.state.problem?.message ?? '', /changed meanwhile/);
  assert.equal(await actions.savePrivacy('mine'), true);
  assert.equal(file, 'mine');
});
