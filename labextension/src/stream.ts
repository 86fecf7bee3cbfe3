/* The panel's one WebSocket: replay, follow, heartbeats, reconnecting. Owned by the plugin. */

import type { Event, Json, Presence, Problem } from './types';

/** lost: ten tries failed; the user, `online` or a visible page starts over. */
export type Connection = 'connecting' | 'open' | 'retrying' | 'lost';

export interface OperationRequest {
  request_id: string;
  operation: string;
  params: { [key: string]: Json };
}

/** What the stream needs from, and gives to, the rest of the panel. */
export interface StreamListener {
  /** The last seq seen of the home stream. */
  home(): number;
  events(events: Event[]): void;
  request(request: OperationRequest): void;
  cancel(requestId: string): void;
  connection(state: Connection): void;
}

type Frame =
  | { type: 'events'; events: Event[] }
  | ({ type: 'request' } & OperationRequest)
  | { type: 'cancel'; request_id: string }
  | { type: 'heartbeat' | 'pong' }
  | { type: 'bye'; reason: string };

/** The part of WebSocket the stream uses, so that tests can stand in for it. */
export interface Socket {
  onopen: (() => void) | null;
  onmessage: ((message: { data: string }) => void) | null;
  onclose: (() => void) | null;
  send(text: string): void;
  close(): void;
}

export const FIRST_DELAY_MS = 500;
export const MAX_DELAY_MS = 30_000;
export const MAX_TRIES = 10;
/** Silence after which a ping is sent; the server's heartbeat is 20 s by default. */
export const QUIET_MS = 45_000;
/** How long a ping may stay unanswered. */
export const PONG_MS = 10_000;

/** Delay before try number `tries` (from 0), without jitter. */
export function backoff(tries: number): number {
  return Math.min(FIRST_DELAY_MS * 2 ** tries, MAX_DELAY_MS);
}

export class Stream {
  constructor(
    private readonly makeSocket: () => Socket,
    private readonly clientId: string,
    private readonly listener: StreamListener
  ) {}

  /** Open, and watch for the machine waking up. `target` is window in the browser. */
  start(target: EventTarget, isVisible: () => boolean): void {
    const wake = (): void => this.wake();
    const seen = (): void => {
      if (isVisible()) {
        this.wake();
      }
    };
    target.addEventListener('online', wake);
    target.addEventListener('visibilitychange', seen);
    /* Of tabs that have the same notebook open, hers is the one looked at last. */
    const looked = (): void => this.tellPresence();
    target.addEventListener('focus', looked);
    this.stopWatching = () => {
      target.removeEventListener('online', wake);
      target.removeEventListener('visibilitychange', seen);
      target.removeEventListener('focus', looked);
    };
    this.connect();
  }

  dispose(): void {
    this.isDisposed = true;
    this.stopWatching();
    this.drop();
    clearTimeout(this.retryTimer);
  }

  /** Follow a chat from `after` on; asked again when the reducer sees a gap. */
  follow(chatId: string, after: number): void {
    this.followed.set(chatId, after);
    this.send({ type: 'follow', chat_id: chatId, after });
  }

  unfollow(chatId: string): void {
    if (this.followed.delete(chatId)) {
      this.send({ type: 'unfollow', chat_id: chatId });
    }
  }

  /** The seq from which a followed chat resumes after a reconnect. */
  seen(chatId: string, seq: number): void {
    if (this.followed.has(chatId)) {
      this.followed.set(chatId, seq);
    }
  }

  presence(presence: Presence): void {
    this.lastPresence = presence;
    this.tellPresence();
  }

  progress(requestId: string, text: string): void {
    this.send({ type: 'progress', request_id: requestId, text });
  }

  reply(
    requestId: string,
    answer: { result: object } | { error: Problem }
  ): void {
    const frame = { type: 'reply', request_id: requestId, ...answer };
    if (!this.send(frame)) {
      this.unsent.push(frame);
    }
  }

  /** The user's "Reconnect": start over at once. */
  reconnect(): void {
    this.tries = 0;
    clearTimeout(this.retryTimer);
    this.drop();
    this.connect();
  }

  private tellPresence(): void {
    if (this.lastPresence) {
      this.send({ type: 'presence', presence: this.lastPresence });
    }
  }

  private wake(): void {
    if (this.isDisposed) {
      return;
    }
    if (this.isOpen) {
      this.ping();
    } else if (!this.socket || this.state !== 'connecting') {
      this.reconnect();
    }
  }

  private connect(): void {
    this.report(this.tries === 0 ? 'connecting' : 'retrying');
    const socket = this.makeSocket();
    this.socket = socket;
    socket.onopen = () => this.opened();
    socket.onmessage = message => this.received(message.data);
    socket.onclose = () => this.closed();
  }

  private opened(): void {
    this.isOpen = true;
    this.send({
      type: 'hello',
      client_id: this.clientId,
      home: this.listener.home(),
      chats: Object.fromEntries(this.followed)
    });
    this.tellPresence();
    this.unsent.splice(0).forEach(frame => this.send(frame));
    this.report('open');
    this.watchSilence();
  }

  private received(data: string): void {
    /* Only a frame proves the way through: a proxy may accept and then drop. */
    this.tries = 0;
    this.watchSilence();
    const frame = JSON.parse(data) as Frame;
    switch (frame.type) {
      case 'events':
        this.listener.events(frame.events);
        break;
      case 'request':
        this.listener.request(frame);
        break;
      case 'cancel':
        this.listener.cancel(frame.request_id);
        break;
      case 'bye':
        this.drop();
        this.closed();
        break;
      default:
        break;
    }
  }

  private closed(): void {
    this.drop();
    if (this.isDisposed) {
      return;
    }
    clearTimeout(this.retryTimer);
    if (this.tries >= MAX_TRIES) {
      this.report('lost');
      return;
    }
    this.report('retrying');
    const wait = backoff(this.tries) * (0.8 + 0.2 * Math.random());
    this.tries += 1;
    this.retryTimer = setTimeout(() => this.connect(), wait);
  }

  private ping(): void {
    this.send({ type: 'ping' });
    clearTimeout(this.silenceTimer);
    this.silenceTimer = setTimeout(() => this.closed(), PONG_MS);
  }

  private watchSilence(): void {
    clearTimeout(this.silenceTimer);
    this.silenceTimer = setTimeout(() => this.ping(), QUIET_MS);
  }

  /** Let go of the socket without hearing from it again. */
  private drop(): void {
    clearTimeout(this.silenceTimer);
    this.isOpen = false;
    const socket = this.socket;
    this.socket = null;
    if (socket) {
      socket.onopen = socket.onmessage = socket.onclose = null;
      socket.close();
    }
  }

  private send(frame: object): boolean {
    if (!this.isOpen || !this.socket) {
      return false;
    }
    this.socket.send(JSON.stringify(frame));
    return true;
  }

  private report(state: Connection): void {
    if (state !== this.state) {
      this.state = state;
      this.listener.connection(state);
    }
  }

  private readonly followed = new Map<string, number>();
  private readonly unsent: object[] = [];
  private socket: Socket | null = null;
  private state: Connection | null = null;
  private isOpen = false;
  private isDisposed = false;
  private tries = 0;
  private lastPresence: Presence | null = null;
  private retryTimer: ReturnType<typeof setTimeout> | undefined;
  private silenceTimer: ReturnType<typeof setTimeout> | undefined;
  private stopWatching: () => void = () => undefined;
}
