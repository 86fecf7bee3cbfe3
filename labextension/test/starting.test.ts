/* The first view: chosen by what is known, and there soon whatever the server does. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Actions } from '../src/actions';
import type { Api } from '../src/api';
import { rememberOpenChat, showFirst } from '../src/starting';
import { Store, type State } from '../src/store';
import type { Stream } from '../src/stream';
import { view } from './events';

const none = (): Promise<void> => Promise.resolve();

function rig(
  known: Partial<State> = {},
  providers: readonly object[] = [{ name: 'mine' }]
): [Actions, Store] {
  const store = new Store();
  store.update(known);
  const api = { providers: () => Promise.resolve({ providers }) };
  const actions = new Actions(
    api as unknown as Api,
    store,
    {} as unknown as Stream
  );
  return [actions, store];
}

async function shownFirst(
  known: Partial<State>,
  providers?: readonly object[]
): Promise<string> {
  const [actions, store] = rig(known, providers);
  await showFirst(actions, store, none);
  return store.state.view;
}

test('what is shown first is a new chat, the list of chats, or what the person chose', async () => {
  assert.equal(await shownFirst({ isListLoaded: true }), 'chat');
  assert.equal(await shownFirst({ isListLoaded: false }), 'chats');
  const chats = [view().chat];
  assert.equal(await shownFirst({ isListLoaded: true, chats }), 'chats');
  assert.equal(
    await shownFirst({ isListLoaded: true, view: 'tasks' }),
    'tasks'
  );
});

test('a new user meets the first-run page, also where the browser keeps nothing', async () => {
  /* There is no window here: reading what it keeps throws. */
  assert.equal(await shownFirst({ isListLoaded: true }, []), 'welcome');
});

test('a server that does not answer leaves the list of chats, and it stays', async () => {
  const [actions, store] = rig({ isListLoaded: true });
  let answer = (): void => undefined;
  const load = (): Promise<void> =>
    new Promise(resolve => {
      answer = resolve;
    });
  const done = showFirst(actions, store, load, 5);
  assert.equal(store.state.view, 'starting');
  await new Promise(resolve => setTimeout(resolve, 50));
  assert.equal(store.state.view, 'chats');
  answer();
  await done;
  assert.equal(store.state.view, 'chats');
});

test('what goes wrong while loading is said, and the list of chats is shown', async () => {
  const [actions, store] = rig();
  await showFirst(actions, store, () => Promise.reject(new Error('broken')));
  assert.equal(store.state.view, 'chats');
  assert.match(store.state.problem?.message ?? '', /broken/);
});

test('a chat that was open is shown again after a reload of its tab, the list of chats if that was', async () => {
  const kept = new Map<string, string>();
  const sessionStorage = {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => kept.set(name, value)
  };
  const localStorage = { getItem: () => null };
  Object.assign(globalThis, { window: { sessionStorage, localStorage } });
  const { chat } = view();
  const known = { isListLoaded: true, chats: [chat] };
  const reload = async (list = known): Promise<Store> => {
    const [actions, store] = rig(list);
    actions.loadChat = none;
    rememberOpenChat(store);
    await showFirst(actions, store, none);
    return store;
  };
  try {
    const first = await reload();
    assert.equal(first.state.view, 'chats');
    first.update({ view: 'chat', current: chat.chat_id });
    const second = await reload();
    assert.equal(second.state.view, 'chat');
    assert.equal(second.state.current, chat.chat_id);
    second.update({ view: 'settings' });
    assert.equal((await reload()).state.current, chat.chat_id);
    const others = { ...known, chats: [{ ...chat, chat_id: 'other' }] };
    assert.equal((await reload(others)).state.view, 'chats');
    second.update({ view: 'chats' });
    assert.equal((await reload()).state.view, 'chats');
  } finally {
    Reflect.deleteProperty(globalThis, 'window');
  }
});
