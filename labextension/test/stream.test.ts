/* The WebSocket: hello, resume, backoff, giving up, waking. Time and sockets are fakes. */

import assert from 'node:assert/strict';
import { beforeEach, mock, test } from 'node:test';

import {
  MAX_DELAY_MS,
  MAX_TRIES,
  PONG_MS,
  QUIET_MS,
  Stream,
  backoff,
  type Socket
} from '../src/stream';
import type { Event } from '../src/types';
import { event } from './events';

class FakeSocket implements Socket {
  onopen: (() => void) | null = null;
  onmessage: ((message: { data: string }) => void) | null = null;
  onclose: (() => void) | null = null;
  readonly sent: Record<string, unknown>[] = [];
  isClosed = false;

  send(text: string): void {
    this.sent.push(JSON.parse(text) as Record<string, unknown>);
  }

  close(): void {
    this.isClosed = true;
  }

  receive(frame: object): void {
    this.onmessage?.({ data: JSON.stringify(frame) });
  }

  kinds(): unknown[] {
    return this.sent.map(frame => frame.type);
  }
}

interface Rig {
  stream: Stream;
  sockets: FakeSocket[];
  states: string[];
  events: Event[];
  target: EventTarget;
  last: () => FakeSocket;
}

function rig(isVisible = true): Rig {
  const sockets: FakeSocket[] = [];
  const states: string[] = [];
  const events: Event[] = [];
  const stream = new Stream(
    () => {
      const socket = new FakeSocket();
      sockets.push(socket);
      return socket;
    },
    'tab-1',
    {
      home: () => 7,
      events: batch => events.push(...batch),
      request: () => undefined,
      cancel: () => undefined,
      connection: state => states.push(state)
    }
  );
  const target = new EventTarget();
  stream.start(target, () => isVisible);
  return {
    stream,
    sockets,
    states,
    events,
    target,
    last: () => sockets[sockets.length - 1]
  };
}

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ['setTimeout'] });
});

test('hello resumes home and every followed chat from what was seen', () => {
  const { stream, last } = rig();
  stream.follow('a', 3);
  last().onopen?.();
  assert.deepEqual(last().sent[0], {
    type: 'hello',
    client_id: 'tab-1',
    home: 7,
    chats: { a: 3 }
  });
  stream.seen('a', 12);
  last().onclose?.();
  mock.timers.tick(MAX_DELAY_MS);
  last().onopen?.();
  assert.deepEqual(last().sent[0].chats, { a: 12 });
});

test('events are handed on in order', () => {
  const { last, events } = rig();
  last().onopen?.();
  last().receive({
    type: 'events',
    events: [event(1, 'a', {}), event(2, 'b', {})]
  });
  assert.deepEqual(
    events.map(one => one.seq),
    [1, 2]
  );
});

test('following again after a gap sends follow on the open socket', () => {
  const { stream, last } = rig();
  last().onopen?.();
  stream.follow('a', 5);
  assert.deepEqual(last().sent[1], { type: 'follow', chat_id: 'a', after: 5 });
  stream.unfollow('a');
  stream.unfollow('a');
  assert.deepEqual(last().kinds(), ['hello', 'follow', 'unfollow']);
});

test('the delay doubles up to half a minute', () => {
  assert.deepEqual(
    [0, 1, 2, 6, 9].map(backoff),
    [500, 1000, 2000, 30_000, 30_000]
  );
});

test('ten tries fail, then it is lost until the user reconnects', () => {
  const { stream, sockets, states, last } = rig();
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    last().onclose?.();
    mock.timers.tick(MAX_DELAY_MS);
  }
  last().onclose?.();
  assert.equal(sockets.length, MAX_TRIES + 1);
  assert.equal(states[states.length - 1], 'lost');
  mock.timers.tick(10 * MAX_DELAY_MS);
  assert.equal(sockets.length, MAX_TRIES + 1);
  stream.reconnect();
  last().onopen?.();
  assert.equal(states[states.length - 1], 'open');
});

test('a socket that opens but never says a word counts as failed', () => {
  const { sockets, states, last } = rig();
  for (let tries = 0; tries <= MAX_TRIES; tries++) {
    last().onopen?.();
    last().onclose?.();
    mock.timers.tick(MAX_DELAY_MS);
  }
  assert.equal(sockets.length, MAX_TRIES + 1);
  assert.equal(states[states.length - 1], 'lost');
});

test('a frame starts the count over', () => {
  const { sockets, last } = rig();
  for (let tries = 0; tries < 3 * MAX_TRIES; tries++) {
    last().onopen?.();
    last().receive({ type: 'heartbeat' });
    last().onclose?.();
    mock.timers.tick(MAX_DELAY_MS);
  }
  assert.equal(sockets.length, 3 * MAX_TRIES + 1);
});

test('coming online or into sight retries at once, also when lost', () => {
  for (const kind of ['online', 'visibilitychange']) {
    const { sockets, target, last } = rig();
    for (let tries = 0; tries <= MAX_TRIES; tries++) {
      last().onclose?.();
      mock.timers.tick(MAX_DELAY_MS);
    }
    const before = sockets.length;
    target.dispatchEvent(new Event_(kind));
    assert.equal(sockets.length, before + 1, kind);
  }
});

test('going out of sight does nothing', () => {
  const { sockets, target, last } = rig(false);
  last().onclose?.();
  target.dispatchEvent(new Event_('visibilitychange'));
  assert.equal(sockets.length, 1);
});

test('coming into sight checks an open socket, and replaces a dead one', () => {
  const { sockets, target, last } = rig();
  last().onopen?.();
  target.dispatchEvent(new Event_('visibilitychange'));
  assert.deepEqual(last().kinds(), ['hello', 'ping']);
  mock.timers.tick(PONG_MS);
  assert.equal(sockets[0].isClosed, true);
  mock.timers.tick(MAX_DELAY_MS);
  assert.equal(sockets.length, 2);
});

test('silence is answered by a ping, and a pong keeps the socket', () => {
  const { sockets, last } = rig();
  last().onopen?.();
  mock.timers.tick(QUIET_MS);
  assert.deepEqual(last().kinds(), ['hello', 'ping']);
  last().receive({ type: 'pong' });
  mock.timers.tick(PONG_MS);
  assert.equal(sockets.length, 1);
  assert.equal(last().isClosed, false);
});

test('bye reconnects and resumes', () => {
  const { sockets, last } = rig();
  last().onopen?.();
  last().receive({ type: 'bye', reason: 'shutting down' });
  mock.timers.tick(MAX_DELAY_MS);
  assert.equal(sockets.length, 2);
});

test('presence is told again, and a reply made offline is sent later', () => {
  const { stream, last } = rig();
  last().onopen?.();
  stream.presence({ notebooks: ['a.ipynb'], active: 'a.ipynb' });
  last().onclose?.();
  stream.reply('op-1', { result: { opened: true } });
  mock.timers.tick(MAX_DELAY_MS);
  last().onopen?.();
  assert.deepEqual(last().kinds(), ['hello', 'presence', 'reply']);
});

test('the tab that is looked at says so, and is the newest then', () => {
  const { stream, target, last } = rig();
  last().onopen?.();
  target.dispatchEvent(new Event_('focus'));
  assert.deepEqual(last().kinds(), ['hello']);
  const presence = { notebooks: ['a.ipynb'], active: 'a.ipynb' };
  stream.presence(presence);
  target.dispatchEvent(new Event_('focus'));
  assert.deepEqual(last().sent.slice(1), [
    { type: 'presence', presence },
    { type: 'presence', presence }
  ]);
});

test('after dispose nothing is retried', () => {
  const { stream, sockets, target, last } = rig();
  last().onopen?.();
  stream.dispose();
  target.dispatchEvent(new Event_('online'));
  mock.timers.tick(MAX_DELAY_MS);
  assert.equal(sockets.length, 1);
  assert.equal(sockets[0].isClosed, true);
});

/** The DOM's Event, under another name than ours. */
const Event_ = globalThis.Event;
