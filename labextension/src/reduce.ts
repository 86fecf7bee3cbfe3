/* Pure reducer of one chat's events, and the branches of its messages. */

import type {
  Call,
  Chat,
  ChatView,
  ContextMeter,
  Event,
  JournalEntry,
  Message,
  Payloads,
  Question,
  Run,
  Summary
} from './types';
import { waitsAfter, type Waiting } from './waiting';

/** One chat as the events up to `seq` have made it. */
export interface ChatLog {
  chat: Chat;
  messages: Record<string, Message>;
  calls: Record<string, Call>;
  questions: Record<string, Question>;
  runs: Record<string, Run>;
  /** What was changed, by entry id. */
  journal: Record<string, JournalEntry>;
  /** What stands for older messages in prompts, by the last of them; the newest counts. */
  summaries: Record<string, Summary>;
  /** What the newest prompt was made of. */
  meter: ContextMeter | null;
  /** Live text of running calls, by call id. */
  progress: Record<string, string>;
  /** What runs wait for before a model is asked again, by run id. */
  waits: Record<string, Waiting>;
  /** The child shown under a message ("" is the root), where the user chose one. */
  chosen: Record<string, string>;
  seq: number;
}

/** `gap`: ask again from `log.seq`. `stale`: chunks we never saw were folded; load the chat again. */
export interface Reduced {
  log: ChatLog;
  gap: boolean;
  stale: boolean;
}

export function logFrom(view: ChatView, before?: ChatLog): ChatLog {
  return {
    chat: view.chat,
    messages: byId(view.messages, 'message_id'),
    calls: byId(view.calls, 'call_id'),
    questions: byId(view.questions, 'question_id'),
    runs: byId(view.runs, 'run_id'),
    journal: byId(view.journal, 'entry_id'),
    summaries: byId(view.summaries, 'upto_message_id'),
    meter: view.meter,
    progress: {},
    waits: view.wait ? waitsAfter({}, view.wait) : {},
    chosen: before?.chosen ?? {},
    seq: view.seq
  };
}

/** Apply events of this chat in order: old ones are ignored, a jump stops the work. */
export function applyEvents(log: ChatLog, events: readonly Event[]): Reduced {
  let stale = false;
  for (const event of events) {
    if (event.kind === 'folded') {
      const { from_seq, to_seq } = payloadOf<'folded'>(event);
      const first = Math.min(from_seq, event.seq);
      const last = Math.max(to_seq, event.seq);
      if (last <= log.seq) {
        continue;
      }
      if (first > log.seq + 1) {
        return { log, gap: true, stale };
      }
      stale ||= to_seq > log.seq;
      log = { ...log, seq: last };
      continue;
    }
    if (event.seq <= log.seq) {
      continue;
    }
    if (event.seq > log.seq + 1) {
      return { log, gap: true, stale };
    }
    const waits = waitsAfter(log.waits, event);
    log = { ...applyEvent(log, event), waits, seq: event.seq };
  }
  return { log, gap: false, stale };
}

function applyEvent(log: ChatLog, event: Event): ChatLog {
  switch (event.kind) {
    case 'message.added':
      return putMessage(log, payloadOf<'message.added'>(event).message);
    case 'message.delta': {
      const { message_id, text, reasoning } = payloadOf<'message.delta'>(event);
      return changeMessage(log, message_id, message => ({
        text: message.text + (text ?? ''),
        reasoning: message.reasoning + (reasoning ?? '')
      }));
    }
    case 'message.done': {
      const { message_id, ...rest } = payloadOf<'message.done'>(event);
      return changeMessage(log, message_id, () => rest);
    }
    case 'message.replaced':
      return changeMessage(
        log,
        payloadOf<'message.replaced'>(event).message_id,
        () => ({ status: 'replaced' })
      );
    case 'message.pinned': {
      const { message_id, is_pinned } = payloadOf<'message.pinned'>(event);
      return changeMessage(log, message_id, () => ({ is_pinned }));
    }
    case 'summary.added': {
      const { summary } = payloadOf<'summary.added'>(event);
      const summaries = {
        ...log.summaries,
        [summary.upto_message_id]: summary
      };
      return { ...log, summaries };
    }
    case 'context.measured':
      return { ...log, meter: payloadOf<'context.measured'>(event).meter };
    case 'run.changed': {
      const { run } = payloadOf<'run.changed'>(event);
      return { ...log, runs: { ...log.runs, [run.run_id]: run } };
    }
    case 'call.changed':
      return putCall(log, payloadOf<'call.changed'>(event).call);
    case 'call.progress': {
      const { call_id, text } = payloadOf<'call.progress'>(event);
      return { ...log, progress: { ...log.progress, [call_id]: text } };
    }
    case 'question.changed':
      return putQuestion(log, payloadOf<'question.changed'>(event).question);
    case 'journal.changed': {
      const { entries } = payloadOf<'journal.changed'>(event);
      return {
        ...log,
        journal: { ...log.journal, ...byId(entries, 'entry_id') }
      };
    }
    default:
      /* A kind from a newer server: its seq counts, its content is not ours to guess. */
      return log;
  }
}

export function putMessage(log: ChatLog, message: Message): ChatLog {
  return {
    ...log,
    messages: { ...log.messages, [message.message_id]: message }
  };
}

export function putQuestion(log: ChatLog, question: Question): ChatLog {
  return {
    ...log,
    questions: { ...log.questions, [question.question_id]: question }
  };
}

function putCall(log: ChatLog, call: Call): ChatLog {
  const progress = { ...log.progress };
  if (call.state !== 'begun') {
    delete progress[call.call_id];
  }
  return { ...log, calls: { ...log.calls, [call.call_id]: call }, progress };
}

function changeMessage(
  log: ChatLog,
  messageId: string,
  change: (message: Message) => Partial<Message>
): ChatLog {
  const message = log.messages[messageId];
  return message ? putMessage(log, { ...message, ...change(message) }) : log;
}

/**
 * The messages on the shown branch, oldest first. Replaced ones are never shown, nor is an earlier answer while a
 * message is answered again and the new one has not begun.
 */
export function shownPath(log: ChatLog): Message[] {
  const children = childrenOf(log);
  const again = runWithoutAnswer(log);
  const path: Message[] = [];
  let key = '';
  for (;;) {
    const siblings = children.get(key) ?? [];
    const since = again?.message_id === key ? again.queued_at : '';
    const next =
      siblings.find(one => one.message_id === log.chosen[key]) ??
      siblings.filter(one => one.created_at >= since).pop();
    if (!next || path.length > 100_000) {
      return path;
    }
    path.push(next);
    key = next.message_id;
  }
}

function runWithoutAnswer(log: ChatLog): Run | undefined {
  const run = activeRun(log);
  return ofRun(log, run?.run_id).length > 0 ? undefined : run;
}

/** The message and its siblings, oldest first. */
export function siblingsOf(log: ChatLog, message: Message): Message[] {
  return childrenOf(log).get(parentKey(log, message)) ?? [message];
}

/** Show the branch through `message`. */
export function choose(log: ChatLog, message: Message): ChatLog {
  const chosen = { ...log.chosen };
  let step: Message | undefined = message;
  while (step) {
    const key = parentKey(log, step);
    chosen[key] = step.message_id;
    step = key ? log.messages[key] : undefined;
  }
  return { ...log, chosen };
}

/** Each message's shown children, oldest first; counted once for each state of the messages. */
function childrenOf(log: ChatLog): Map<string, Message[]> {
  const known = CHILDREN.get(log.messages);
  if (known?.runs === log.runs) {
    return known.children;
  }
  const shown = Object.values(log.messages).filter(
    message => message.status !== 'replaced'
  );
  const children = grouped(shown, message => parentKey(log, message));
  for (const list of children.values()) {
    list.sort((a, b) => a.created_at.localeCompare(b.created_at));
  }
  CHILDREN.set(log.messages, { runs: log.runs, children });
  return children;
}

/** The calls of a message, in the order they came. */
export function callsOf(log: ChatLog, messageId: string): Call[] {
  let groups = CALLS.get(log.calls);
  if (!groups) {
    groups = grouped(Object.values(log.calls), call => call.message_id);
    CALLS.set(log.calls, groups);
  }
  return groups.get(messageId) ?? [];
}

/** The questions that hold, or held, a call up. */
export function questionsOf(log: ChatLog, callId: string): Question[] {
  let groups = QUESTIONS.get(log.questions);
  if (!groups) {
    groups = grouped(Object.values(log.questions), one => one.call_id ?? '');
    QUESTIONS.set(log.questions, groups);
  }
  return groups.get(callId) ?? [];
}

/** What a call, or a run, changed, in the order it was done. */
export function entriesOf(
  log: ChatLog | undefined,
  by: 'call_id' | 'run_id',
  id: string
): JournalEntry[] {
  if (!log) {
    return [];
  }
  let groups = ENTRIES.get(log.journal);
  if (!groups) {
    const all = Object.values(log.journal);
    groups = {
      call_id: grouped(all, entry => entry.call_id),
      run_id: grouped(all, entry => entry.run_id)
    };
    ENTRIES.set(log.journal, groups);
  }
  return groups[by].get(id) ?? [];
}

const ENTRIES = new WeakMap<
  object,
  Record<'call_id' | 'run_id', Map<string, JournalEntry[]>>
>();
const CHILDREN = new WeakMap<
  object,
  { runs: ChatLog['runs']; children: Map<string, Message[]> }
>();
const CALLS = new WeakMap<object, Map<string, Call[]>>();
const QUESTIONS = new WeakMap<object, Map<string, Question[]>>();

function grouped<T>(
  items: readonly T[],
  keyOf: (item: T) => string
): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) {
      group.push(item);
    } else {
      groups.set(key, [item]);
    }
  }
  return groups;
}

/** The nearest shown ancestor: a parent that is hidden or unknown must not hide its children. */
function parentKey(log: ChatLog, message: Message): string {
  let key = endOfAnswer(log, message) ?? message.parent_id ?? '';
  while (key && log.messages[key]?.status === 'replaced') {
    key = log.messages[key].parent_id ?? '';
  }
  return log.messages[key] ? key : '';
}

/** What a message that waits for the answer before it stands behind: the server puts it there in the end. */
function endOfAnswer(log: ChatLog, message: Message): string | undefined {
  const runs = Object.values(log.runs);
  const parent = log.messages[message.parent_id ?? ''];
  const isQueued = runs.some(
    run => run.state === 'queued' && run.message_id === message.message_id
  );
  if (!isQueued || !parent || answersOf(log, message).length > 0) {
    return undefined;
  }
  const answering =
    parent.run_id ??
    runs
      .filter(run => run.message_id === parent.message_id)
      .sort((a, b) => a.queued_at.localeCompare(b.queued_at))
      .pop()?.run_id;
  return ofRun(log, answering).pop()?.message_id;
}

function answersOf(log: ChatLog, message: Message): Message[] {
  return Object.values(log.messages).filter(
    one => one.parent_id === message.message_id && one.role === 'assistant'
  );
}

function ofRun(log: ChatLog, runId: string | undefined): Message[] {
  return Object.values(log.messages).filter(
    one => runId && one.run_id === runId && one.status !== 'replaced'
  );
}

/** What a new message follows: the end of what is shown. The server puts it behind the whole answer there. */
export function leafOf(log: ChatLog): string | null {
  return shownPath(log).pop()?.message_id ?? null;
}

/** The run that is queued, running or waiting; the one holding the chat first. */
export function activeRun(log: ChatLog): Run | undefined {
  const live = Object.values(log.runs).filter(isActive);
  return live.find(run => run.state !== 'queued') ?? live[0];
}

/** Whether a run is queued, running or waiting. */
export function isActive(run: Run): boolean {
  return ['running', 'waiting', 'queued'].includes(run.state);
}

function payloadOf<K extends keyof Payloads>(event: Event): Payloads[K] {
  return event.payload as unknown as Payloads[K];
}

function byId<T, K extends keyof T>(
  items: readonly T[],
  key: K
): Record<string, T> {
  return Object.fromEntries(items.map(item => [String(item[key]), item]));
}
