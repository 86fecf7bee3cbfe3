/* The only fetch of the panel: one method for each row of docs/api.md. */

import { URLExt } from '@jupyterlab/coreutils';
import { ServerConnection } from '@jupyterlab/services';

import type {
  Accepted,
  Action,
  Answer,
  AuditEntry,
  Budgets,
  BudgetsInput,
  Chat,
  ChatList,
  ChatPatch,
  ChatView,
  Check,
  CondenseChat,
  Consent,
  Grant,
  InstructionChoice,
  InstructionList,
  InstructionText,
  JournalEntry,
  MessagePatch,
  ModelInfo,
  NewChat,
  NewMessage,
  NewTask,
  PrivacyText,
  Problem,
  Provider,
  ProviderInput,
  Question,
  Retry,
  RouteTrial,
  RouteTrialResult,
  RulesText,
  Run,
  Sent,
  StandingText,
  Status,
  Summary,
  Task,
  TaskPatch,
  Trace,
  Trial,
  TrialResult,
  Undo,
  UsageReport
} from './types';

/** Which audit entries are wanted; what is empty does not matter. */
export interface AuditFilter {
  text: string;
  tool: string;
  action: Action | '';
  decision: AuditEntry['decision'] | '';
  chat_id: string;
  /** Only entries of this many hours; 0 for all. */
  hours: number;
}

export const EVERY_ENTRY: AuditFilter = {
  text: '',
  tool: '',
  action: '',
  decision: '',
  chat_id: '',
  hours: 0
};

export interface ModelList {
  models: ModelInfo[];
  default: string;
  fallbacks: string[];
}

/** What a test call to a provider found. */
export interface ProviderTest {
  ok: boolean;
  message: string;
  remedy: string;
  /** What the provider said itself. */
  detail: string;
  models: string[];
}

/** A model server seen on the Jupyter server's machine. */
export interface DetectedServer {
  label: string;
  kind: string;
  base_url: string;
  models: string[];
}

/** A refused or failed request, in the server's words where it had any. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly problem: Problem
  ) {
    super(problem.message);
  }
}

/** Text of a problem that never reached the server. */
export interface ApiWords {
  unreachable: string;
  unreachableRemedy: string;
  unexpected: (status: number) => string;
  missing: string;
  missingRemedy: string;
}

const ENGLISH: ApiWords = {
  unreachable: 'The Jupyter server cannot be reached.',
  unreachableRemedy: 'Check that it is running, then try again.',
  unexpected: status => `The server answered with status ${status}.`,
  missing: 'The server part of Linda is not running.',
  missingRemedy:
    'Restart Jupyter; if that does not help, run: jupyter server extension enable jupyter_linda'
};

interface Call {
  method?: string;
  body?: object;
}

export class Api {
  constructor(
    private readonly settings: ServerConnection.ISettings,
    private readonly send: typeof ServerConnection.makeRequest = ServerConnection.makeRequest,
    private readonly plainFetch: typeof fetch = (url, init) => fetch(url, init),
    private readonly cookie: () => string = () => document.cookie
  ) {}

  words: ApiWords = ENGLISH;

  status = (): Promise<Status> => this.call('status');
  readiness = (slow: boolean): Promise<{ checks: Check[] }> =>
    this.call('readiness', slow ? { method: 'POST', body: {} } : {});
  chats = (query: string): Promise<ChatList> =>
    this.call(`chats${query ? `?query=${encodeURIComponent(query)}` : ''}`);
  /** The mode that takes questions away is a person's to choose, like an answer. */
  newChat = (body: NewChat): Promise<Chat> =>
    body.mode === 'edit'
      ? this.asPerson('chats', 'POST', body)
      : this.call('chats', { method: 'POST', body });
  chat = (chatId: string): Promise<ChatView> =>
    this.call(path`chats/${chatId}`);
  patchChat = (chatId: string, body: ChatPatch): Promise<Chat> =>
    body.mode === 'edit'
      ? this.asPerson(path`chats/${chatId}`, 'PATCH', body)
      : this.call(path`chats/${chatId}`, { method: 'PATCH', body });
  deleteChat = (chatId: string): Promise<void> =>
    this.call(path`chats/${chatId}`, { method: 'DELETE' });
  sendMessage = (chatId: string, body: NewMessage): Promise<Accepted> =>
    this.call(path`chats/${chatId}/messages`, { method: 'POST', body });
  patchMessage = (
    chatId: string,
    messageId: string,
    body: MessagePatch
  ): Promise<void> =>
    this.call(path`chats/${chatId}/messages/${messageId}`, {
      method: 'PATCH',
      body
    });
  condense = (
    chatId: string,
    body: CondenseChat
  ): Promise<{ summary: Summary | null }> =>
    this.call(path`chats/${chatId}/condense`, { method: 'POST', body });
  instructions = (): Promise<StandingText> => this.call('instructions');
  /** They stand in every prompt as the person's words: only the page itself may change them. */
  saveInstructions = (body: StandingText): Promise<StandingText> =>
    this.asPerson('instructions', 'PUT', body);
  instructionFiles = (
    chatId: string,
    notebook: string
  ): Promise<InstructionList> =>
    this.call(path`instructions/files?chat_id=${chatId}&path=${notebook}`);
  instructionText = (file: string): Promise<InstructionText> =>
    this.call(path`instructions/text?path=${file}`);
  /** A file of strangers becomes part of prompts: only a person may say yes. */
  chooseInstructions = (body: InstructionChoice): Promise<void> =>
    this.asPerson('instructions/files', 'PUT', body);
  retry = (chatId: string, body: Retry): Promise<Accepted> =>
    this.call(path`chats/${chatId}/retry`, { method: 'POST', body });
  stop = (chatId: string): Promise<{ runs: Run[] }> =>
    this.call(path`chats/${chatId}/stop`, { method: 'POST', body: {} });
  undo = (chatId: string, body: Undo): Promise<{ entries: JournalEntry[] }> =>
    this.asPerson(path`chats/${chatId}/undo`, 'POST', body);
  redo = (chatId: string, body: Undo): Promise<{ entries: JournalEntry[] }> =>
    this.asPerson(path`chats/${chatId}/redo`, 'POST', body);
  tasks = (): Promise<{ tasks: Task[] }> => this.call('tasks');
  addTask = (body: NewTask): Promise<Task> =>
    this.call('tasks', { method: 'POST', body });
  changeTask = (taskId: string, body: TaskPatch): Promise<Task> =>
    this.call(path`tasks/${taskId}`, { method: 'PATCH', body });
  deleteTask = (taskId: string): Promise<void> =>
    this.call(path`tasks/${taskId}`, { method: 'DELETE' });
  questions = (): Promise<{ questions: Question[] }> =>
    this.call('questions?state=open');
  grants = (): Promise<{ grants: Grant[] }> => this.call('grants');
  revokeGrant = (grantId: string): Promise<void> =>
    this.call(path`grants/${grantId}`, { method: 'DELETE' });
  rules = (): Promise<RulesText> => this.call('rules');
  tryRules = (body: Trial): Promise<TrialResult> =>
    this.call('rules/try', { method: 'POST', body });
  audit = (
    filter: AuditFilter,
    limit: number
  ): Promise<{ entries: AuditEntry[] }> =>
    this.call(`audit?${queryOf(filter)}&limit=${limit}`);

  /** Every entry that fits, as a file. */
  async exportAudit(
    filter: AuditFilter,
    format: 'csv' | 'jsonl'
  ): Promise<Blob> {
    const route = `audit/export?${queryOf(filter)}&format=${format}`;
    return (await this.raw(route, {})).blob();
  }
  usage = (days: number): Promise<UsageReport> =>
    this.call(`usage?days=${days}`);
  /** Budgets hold back what leaves and costs: only a person sets them. */
  saveBudgets = (body: BudgetsInput): Promise<Budgets> =>
    this.asPerson('usage/budgets', 'PUT', body);
  trace = (runId: string): Promise<Trace> =>
    this.call(path`runs/${runId}/trace`);

  /** A run's trace as a file. */
  async traceFile(runId: string): Promise<Blob> {
    return (await this.raw(path`runs/${runId}/trace?download=1`, {})).blob();
  }
  privacy = (): Promise<PrivacyText> => this.call('privacy');
  tryRequest = (body: RouteTrial): Promise<RouteTrialResult> =>
    this.call('privacy/try', { method: 'POST', body });
  consents = (): Promise<{ consents: Consent[] }> => this.call('consents');
  revokeConsent = (consentId: string): Promise<void> =>
    this.call(path`consents/${consentId}`, { method: 'DELETE' });
  sent = (messageId: string): Promise<Sent> =>
    this.call(path`sent/${messageId}`);
  models = (): Promise<ModelList> => this.call('models');
  /** Where work goes is a person's to say, as with rules: a token cannot. */
  setDefaultModel = (model: string): Promise<ModelList> =>
    this.asPerson('models/default', 'PUT', { model });
  setFallbacks = (models: string[]): Promise<ModelList> =>
    this.asPerson('models/fallbacks', 'PUT', { models });
  providers = (): Promise<{ providers: Provider[] }> => this.call('providers');
  saveProvider = (name: string, body: ProviderInput): Promise<Provider> =>
    this.asPerson(path`providers/${name}`, 'PUT', body);
  deleteProvider = (name: string): Promise<void> =>
    this.asPerson(path`providers/${name}`, 'DELETE', {});
  testProvider = (name: string, body: ProviderInput): Promise<ProviderTest> =>
    this.call('providers/test', { method: 'POST', body: { ...body, name } });
  detectServers = (): Promise<{ found: DetectedServer[] }> =>
    this.call('providers/detect', { method: 'POST', body: {} });

  /** The whole text of a long tool result. */
  async wholeResult(hash: string): Promise<string> {
    const response = await this.raw(path`results/${hash}`, {});
    return response.text();
  }

  /** Answers need a person's cookie: the server refuses a request that carries a token. */
  answer = (questionId: string, body: Answer): Promise<Question> =>
    this.asPerson(path`questions/${questionId}/answer`, 'POST', body);
  savePrivacy = (text: string, was: string): Promise<PrivacyText> =>
    this.asPerson('privacy', 'PUT', { text, was });
  saveRules = (text: string, was: string): Promise<RulesText> =>
    this.asPerson('rules', 'PUT', { text, was });

  private async call<T>(route: string, call: Call = {}): Promise<T> {
    const response = await this.raw(route, call);
    return read<T>(response);
  }

  private async raw(route: string, { method, body }: Call): Promise<Response> {
    const init: RequestInit = { method: method ?? 'GET' };
    if (body) {
      init.body = JSON.stringify(body);
    }
    return this.checked(() => this.send(this.url(route), init, this.settings));
  }

  private async asPerson<T>(
    route: string,
    method: string,
    body: object
  ): Promise<T> {
    const xsrf = /(?:^|;\s*)_xsrf=([^;]*)/.exec(this.cookie())?.[1] ?? '';
    const response = await this.checked(() =>
      this.plainFetch(this.url(route), {
        method,
        credentials: 'same-origin',
        cache: 'no-store',
        headers: { 'Content-Type': 'application/json', 'X-XSRFToken': xsrf },
        body: JSON.stringify(body)
      })
    );
    return read<T>(response);
  }

  private url(route: string): string {
    return URLExt.join(this.settings.baseUrl, 'linda', 'api') + '/' + route;
  }

  private async checked(send: () => Promise<Response>): Promise<Response> {
    let response: Response;
    try {
      response = await send();
    } catch {
      throw new ApiError(0, {
        kind: 'Unreachable',
        message: this.words.unreachable,
        remedy: this.words.unreachableRemedy,
        detail: ''
      });
    }
    if (!response.ok) {
      throw new ApiError(response.status, await this.problemOf(response));
    }
    return response;
  }

  private async problemOf(response: Response): Promise<Problem> {
    let body: Partial<Problem> | null = null;
    try {
      body = (await response.json()) as Partial<Problem> | null;
    } catch {
      /* Not ours: a proxy's page, or a plain 404. */
    }
    if (response.status === 404 && !body?.kind) {
      return {
        kind: 'NotInstalled',
        message: this.words.missing,
        remedy: this.words.missingRemedy,
        detail: ''
      };
    }
    return {
      kind: body?.kind ?? `Http${response.status}`,
      message: body?.message || this.words.unexpected(response.status),
      remedy: body?.remedy ?? '',
      detail: body?.detail ?? ''
    };
  }
}

function path(parts: TemplateStringsArray, ...values: string[]): string {
  return parts.reduce(
    (text, part, at) => text + encodeURIComponent(values[at - 1]) + part
  );
}

function queryOf({ hours, ...texts }: AuditFilter): string {
  const query = new URLSearchParams(texts);
  if (hours) {
    const since = new Date(Date.now() - hours * 3_600_000);
    query.set('since', since.toISOString());
  }
  return query.toString();
}

async function read<T>(response: Response): Promise<T> {
  if (response.status === 204) {
    return undefined as T;
  }
  return (await response.json()) as T;
}

/** The problem behind anything thrown. */
export function problemFrom(error: unknown): Problem {
  if (error instanceof ApiError) {
    return error.problem;
  }
  const message = error instanceof Error ? error.message : String(error);
  return { kind: 'Error', message, remedy: '', detail: '' };
}
