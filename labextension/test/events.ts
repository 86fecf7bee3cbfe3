/* Makers of events and messages for the tests. */

import type {
  Call,
  Chat,
  ChatView,
  Event,
  JournalEntry,
  Message,
  Question,
  Run,
  Task
} from '../src/types';

const AT = '2026-01-01T00:00:00Z';
export const CHAT_ID = 'chat-1';

export function chat(change: Partial<Chat> = {}): Chat {
  return {
    chat_id: CHAT_ID,
    owner_id: 'local',
    title: 'Sales',
    model: '',
    mode: 'ask',
    state: null,
    waiting: 0,
    created_at: AT,
    updated_at: AT,
    ...change
  };
}

export function message(change: Partial<Message>): Message {
  return {
    message_id: 'm1',
    chat_id: CHAT_ID,
    parent_id: null,
    run_id: null,
    role: 'user',
    text: '',
    reasoning: '',
    tool_calls: [],
    context: [],
    status: 'complete',
    model: '',
    usage: null,
    error: null,
    is_pinned: false,
    notice: '',
    created_at: AT,
    ...change
  };
}

export function run(change: Partial<Run> = {}): Run {
  return {
    run_id: 'r1',
    chat_id: CHAT_ID,
    owner_id: 'local',
    state: 'running',
    model: 'linda/demo',
    message_id: 'm1',
    steps: 1,
    problem: null,
    queued_at: AT,
    started_at: AT,
    ended_at: null,
    ...change
  };
}

export function call(change: Partial<Call> = {}): Call {
  return {
    call_id: 'c1',
    run_id: 'r1',
    chat_id: CHAT_ID,
    message_id: 'm2',
    name: 'read_notebook',
    arguments: {},
    state: 'begun',
    action: 'read',
    title: '',
    result: '',
    result_hash: null,
    outputs: [],
    diffs: [],
    found: [],
    problem: null,
    begun_at: AT,
    done_at: null,
    ...change
  };
}

export function entry(change: Partial<JournalEntry> = {}): JournalEntry {
  return {
    entry_id: 'c1/0',
    chat_id: CHAT_ID,
    run_id: 'r1',
    call_id: 'c1',
    kind: 'cells',
    path: 'a.ipynb',
    title: null,
    state: 'done',
    words: '',
    at: AT,
    undone_at: null,
    ...change
  };
}

export function task(change: Partial<Task> = {}): Task {
  return {
    task_id: 't1',
    owner_id: 'local',
    title: 'Mend it',
    notes: '',
    due: '',
    status: 'open',
    assignee: 'me',
    profile: '',
    revision: 1,
    created_at: AT,
    updated_at: AT,
    ...change
  };
}

export function question(change: Partial<Question> = {}): Question {
  return {
    question_id: 'q1',
    chat_id: CHAT_ID,
    run_id: 'r1',
    call_id: 'c1',
    kind: 'approval',
    state: 'open',
    tool: 'run_cell',
    action: 'run',
    resource: 'a.ipynb',
    arguments: {},
    preview: {
      sentence: 'Run?',
      code: '',
      language: '',
      diffs: [],
      findings: [],
      read_before: [],
      rule: ''
    },
    choices: [],
    scopes: [],
    answer: null,
    answered_by: null,
    opened_at: AT,
    expires_at: AT,
    closed_at: null,
    ...change
  };
}

export function view(change: Partial<ChatView> = {}): ChatView {
  return {
    chat: chat(),
    messages: [],
    calls: [],
    questions: [],
    runs: [],
    journal: [],
    summaries: [],
    meter: null,
    wait: null,
    seq: 0,
    ...change
  };
}

export function event(
  seq: number,
  kind: string,
  payload: object,
  chatId = CHAT_ID
): Event {
  return {
    chat_id: chatId,
    seq,
    run_id: null,
    kind,
    payload: payload as Event['payload'],
    at: AT
  };
}
