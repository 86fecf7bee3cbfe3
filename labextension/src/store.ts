/* All the panel knows, in one value; a small observable; what the home stream changes. */

import { Signal, type ISignal } from '@lumino/signaling';

import { EVERY_ENTRY, type AuditFilter, type ModelList } from './api';
import { applyEvents, putQuestion, type ChatLog } from './reduce';
import type { Leaving } from './leaving';
import type { Connection } from './stream';
import type { View } from './tokens';
import type {
  AuditEntry,
  Chat,
  Check,
  ContextItem,
  Event,
  Grant,
  Mode,
  Payloads,
  Problem,
  Provider,
  Question,
  RulesText,
  Status,
  Task
} from './types';

/** What the empty state can say about the active notebook. */
export interface NotebookFacts {
  path: string;
  name: string;
  frames: string[];
  /** Number (from 1) of the first cell that shows an error. */
  errorCell: number | null;
  cells: number;
}

export interface Preferences {
  language: 'auto' | 'en' | 'zh_CN';
  remoteImages: boolean;
  notifications: boolean;
}

/** What the composer of a chat holds; `editing` is the message being written anew. */
export interface Draft {
  text: string;
  editing: string | null;
  /** Kept over a failed send, so that sending again starts no second run. */
  clientId: string | null;
  /** What the person attached, besides what they have open. */
  items: ContextItem[];
}

/** What holds for a new chat until something else is chosen in it. */
export const NEW_CHAT: State['newChat'] = { model: '', mode: 'ask' };

export interface State {
  connection: Connection;
  view: View;
  /** The run whose trace is shown. */
  traced: string | null;
  chats: Chat[];
  isListLoaded: boolean;
  query: string;
  /** Ids the server found for `query`; null without one. */
  found: string[] | null;
  homeId: string;
  homeSeq: number;
  logs: Record<string, ChatLog>;
  current: string | null;
  drafts: Record<string, Draft>;
  /** Chosen for the chat that its first message will make. */
  newChat: { model: string; mode: Mode };
  status: Status | null;
  models: ModelList | null;
  providers: Provider[] | null;
  questions: Question[];
  grants: Grant[] | null;
  rules: RulesText | null;
  leaving: Leaving | null;
  audit: AuditEntry[] | null;
  auditFilter: AuditFilter;
  checks: Check[] | null;
  isChecking: boolean;
  tasks: Task[] | null;
  /** Calls whose changes came in this session. */
  fresh: string[];
  /** Calls whose changes the person has decided on at the cell. */
  lookedOver: string[];
  /** An undo is on its way. */
  isTurning: boolean;
  /** The chat that is being condensed. */
  condensing: string | null;
  /** The chat in which there was nothing to condense. */
  nothingOlder: string | null;
  notebook: NotebookFacts | null;
  context: ContextItem[];
  /** Keys of chips the user took away. */
  removed: string[];
  problem: Problem | null;
  preferences: Preferences;
}

export const EMPTY_DRAFT: Draft = {
  text: '',
  editing: null,
  clientId: null,
  items: []
};

export const START: State = {
  connection: 'connecting',
  view: 'starting',
  traced: null,
  chats: [],
  isListLoaded: false,
  query: '',
  found: null,
  homeId: '',
  homeSeq: 0,
  logs: {},
  current: null,
  drafts: {},
  newChat: NEW_CHAT,
  status: null,
  models: null,
  providers: null,
  questions: [],
  grants: null,
  rules: null,
  leaving: null,
  audit: null,
  auditFilter: EVERY_ENTRY,
  checks: null,
  isChecking: false,
  tasks: null,
  fresh: [],
  lookedOver: [],
  isTurning: false,
  condensing: null,
  nothingOlder: null,
  notebook: null,
  context: [],
  removed: [],
  problem: null,
  preferences: { language: 'auto', remoteImages: false, notifications: true }
};

export class Store {
  get state(): State {
    return this.value;
  }

  /** Emitted once for each change, after it. */
  get changed(): ISignal<this, void> {
    return this.signal;
  }

  update(change: Partial<State> | ((state: State) => Partial<State>)): void {
    const part = typeof change === 'function' ? change(this.value) : change;
    this.value = { ...this.value, ...part };
    this.signal.emit();
  }

  private value: State = START;
  private readonly signal = new Signal<this, void>(this);
}

/** What a batch of events asks the stream and the loader to do. */
export interface Aftermath {
  /** Chats to follow again, from this seq. */
  gaps: Map<string, number>;
  /** Chats to load again. */
  stale: Set<string>;
  /** The home list must be loaded again. */
  isHomeStale: boolean;
  isSettingsChanged: boolean;
  isRulesChanged: boolean;
  /** Before and after of chats that changed on the home stream. */
  chats: { before: Chat | undefined; after: Chat }[];
}

/** Apply a frame's events to the whole state: chats by their logs, home events to the list. */
export function reduceEvents(
  state: State,
  events: readonly Event[]
): { state: State; aftermath: Aftermath } {
  const aftermath: Aftermath = {
    gaps: new Map(),
    stale: new Set(),
    isHomeStale: false,
    isSettingsChanged: false,
    isRulesChanged: false,
    chats: []
  };
  for (const [chatId, group] of byChat(events)) {
    if (chatId.startsWith('home:')) {
      state = reduceHome(state, group, aftermath);
      continue;
    }
    const log = state.logs[chatId];
    if (!log) {
      continue;
    }
    if (group.some(event => event.kind === 'chat.deleted')) {
      state = dropChat(state, chatId);
      continue;
    }
    const reduced = applyEvents(log, group);
    if (reduced.gap) {
      aftermath.gaps.set(chatId, reduced.log.seq);
    }
    if (reduced.stale) {
      aftermath.stale.add(chatId);
    }
    state = { ...state, logs: { ...state.logs, [chatId]: reduced.log } };
    state = { ...state, fresh: withFresh(state.fresh, group) };
    state = { ...state, questions: mergeQuestions(state.questions, group) };
  }
  return { state, aftermath };
}

/** Changes that this tab saw being made; one that is undone is no longer one. */
function withFresh(fresh: string[], events: readonly Event[]): string[] {
  for (const event of events) {
    if (event.kind !== 'journal.changed') {
      continue;
    }
    const { entries } = event.payload as unknown as Payloads['journal.changed'];
    for (const { call_id, state } of entries) {
      const others = fresh.filter(one => one !== call_id);
      const isNew = state === 'done' && others.length === fresh.length;
      fresh = state === 'undone' ? others : isNew ? [...fresh, call_id] : fresh;
    }
  }
  return fresh;
}

function reduceHome(
  state: State,
  events: readonly Event[],
  aftermath: Aftermath
): State {
  for (const event of events) {
    if (event.seq <= state.homeSeq) {
      continue;
    }
    if (event.seq > state.homeSeq + 1) {
      aftermath.isHomeStale = true;
    }
    state = { ...state, homeSeq: event.seq };
    const payload = event.payload as unknown;
    if (event.kind === 'chat.changed') {
      const { chat } = payload as Payloads['chat.changed'];
      const before = state.chats.find(one => one.chat_id === chat.chat_id);
      aftermath.chats.push({ before, after: chat });
      state = putChat(state, chat);
    } else if (event.kind === 'chat.deleted') {
      state = dropChat(state, (payload as Payloads['chat.deleted']).chat_id);
    } else if (event.kind === 'task.changed') {
      const { task, is_deleted } = payload as Payloads['task.changed'];
      state = { ...state, ...putTask(state, task, is_deleted) };
    } else if (event.kind === 'settings.changed') {
      aftermath.isSettingsChanged = true;
    } else if (event.kind === 'privacy.changed') {
      aftermath.isRulesChanged = true;
    } else if (event.kind === 'rules.changed') {
      aftermath.isRulesChanged = true;
      const told = payload as Payloads['rules.changed'];
      const status = state.status && {
        ...state.status,
        rules_problem: told.problem,
        policy_problem: told.policy_problem
      };
      state = { ...state, status };
    }
  }
  return state;
}

/** Put a task into the list, where it belongs; a list that was never loaded stays so. */
export function putTask(
  state: State,
  task: Task,
  isDeleted = false
): Partial<State> {
  if (!state.tasks) {
    return {};
  }
  const others = state.tasks.filter(one => one.task_id !== task.task_id);
  const tasks = isDeleted ? others : [...others, task];
  const isOver = (one: Task): boolean =>
    one.status === 'done' || one.status === 'dropped';
  const rank = (one: Task): string =>
    `${isOver(one) ? 1 : 0}${one.due ? 0 : 1}${one.due}`;
  tasks.sort(
    (a, b) =>
      rank(a).localeCompare(rank(b)) || b.created_at.localeCompare(a.created_at)
  );
  return { tasks };
}

/** Put a chat into the list, newest first, and into its log. */
export function putChat(state: State, chat: Chat): State {
  const others = state.chats.filter(one => one.chat_id !== chat.chat_id);
  const chats = [chat, ...others].sort((a, b) =>
    b.updated_at.localeCompare(a.updated_at)
  );
  const log = state.logs[chat.chat_id];
  const logs = log
    ? { ...state.logs, [chat.chat_id]: { ...log, chat } }
    : state.logs;
  return { ...state, chats, logs };
}

export function dropChat(state: State, chatId: string): State {
  const logs = { ...state.logs };
  delete logs[chatId];
  const isCurrent = state.current === chatId;
  return {
    ...state,
    logs,
    chats: state.chats.filter(one => one.chat_id !== chatId),
    questions: state.questions.filter(one => one.chat_id !== chatId),
    current: isCurrent ? null : state.current,
    view: isCurrent && state.view === 'chat' ? 'chats' : state.view
  };
}

/** Put an answered, opened or closed question everywhere it shows. */
export function placeQuestion(state: State, question: Question): State {
  const log = state.logs[question.chat_id];
  const others = state.questions.filter(
    one => one.question_id !== question.question_id
  );
  return {
    ...state,
    logs: log
      ? { ...state.logs, [question.chat_id]: putQuestion(log, question) }
      : state.logs,
    questions: question.state === 'open' ? [...others, question] : others
  };
}

function mergeQuestions(
  questions: Question[],
  events: readonly Event[]
): Question[] {
  for (const event of events) {
    if (event.kind === 'question.changed') {
      const { question } =
        event.payload as unknown as Payloads['question.changed'];
      questions = questions.filter(
        one => one.question_id !== question.question_id
      );
      if (question.state === 'open') {
        questions = [...questions, question];
      }
    }
  }
  return questions;
}

function byChat(events: readonly Event[]): Map<string, Event[]> {
  const groups = new Map<string, Event[]>();
  for (const event of events) {
    const group = groups.get(event.chat_id);
    if (group) {
      group.push(event);
    } else {
      groups.set(event.chat_id, [event]);
    }
  }
  return groups;
}

/** What deserves a word when its chat is not in sight. */
export type Notice = 'question' | 'done' | 'failed';

/** What happened to a chat, if it deserves a word. */
export function noticeOf(before: Chat | undefined, after: Chat): Notice | null {
  if (after.waiting > (before?.waiting ?? 0)) {
    return 'question';
  }
  const wasBusy =
    before && ['queued', 'running', 'waiting'].includes(before.state ?? '');
  if (!wasBusy || before.state === after.state) {
    return null;
  }
  if (after.state === 'done') {
    return 'done';
  }
  return after.state === 'failed' || after.state === 'interrupted'
    ? 'failed'
    : null;
}
