/* What the views and commands can do: call the API, tell the store. Views themselves never fetch. */

import { UUID } from '@lumino/coreutils';

import type { Api } from './api';
import { Condensing } from './condensing';
import { choose, leafOf, logFrom, putMessage } from './reduce';
import { chipKey, chipsOf } from './attached';
import { rememberWelcome } from './starting';
import {
  EMPTY_DRAFT,
  NEW_CHAT,
  dropChat,
  placeQuestion,
  putChat,
  type Draft,
  type Store
} from './store';
import type { Stream } from './stream';
import type { View } from './tokens';
import type {
  Accepted,
  ChatPatch,
  ContextItem,
  GrantScope,
  Message,
  Mode,
  NewMessage,
  Question
} from './types';

/** Chats kept in memory and followed; the least recently opened leaves first. */
const KEPT_CHATS = 6;

export class Actions extends Condensing {
  constructor(
    api: Api,
    store: Store,
    private readonly stream: Stream
  ) {
    super(api, store);
  }

  /** First load, and again after a gap of the home stream. */
  async loadHome(): Promise<void> {
    await this.guarded(async () => {
      const [list, status] = await Promise.all([
        this.api.chats(''),
        this.api.status()
      ]);
      this.store.update({
        chats: list.chats,
        homeId: list.home_id,
        homeSeq: list.seq,
        status,
        isListLoaded: true
      });
    });
    await Promise.all([this.loadQuestions(), this.loadModels()]);
  }

  leaveWelcome(): void {
    rememberWelcome();
    this.startChat();
  }

  leaveWelcomeIfConnected(): void {
    if (this.store.state.providers?.length) {
      this.leaveWelcome();
    }
  }

  show(view: View): void {
    this.store.update({ view, problem: null });
    if (view === 'permissions') {
      void this.loadPermissions();
    } else if (view === 'tasks') {
      void this.loadTasks();
    } else if (view === 'settings' || view === 'welcome') {
      void this.loadProviders();
    } else if (view === 'readiness') {
      void this.checkReadiness(false);
    } else if (view === 'questions') {
      void this.loadQuestions();
    }
  }

  /** A view that broke. */
  fault(message: string): void {
    this.store.update({
      problem: { kind: 'ViewFault', message, remedy: '', detail: '' }
    });
  }

  clearProblem(): void {
    this.store.update({ problem: null });
  }

  /** An empty chat; the server hears of it with the first message. */
  startChat(): void {
    this.store.update({ view: 'chat', current: null, problem: null });
  }

  async openChat(chatId: string): Promise<void> {
    this.store.update({ view: 'chat', current: chatId, problem: null });
    if (!this.store.state.logs[chatId]) {
      await this.loadChat(chatId);
    }
  }

  async loadChat(chatId: string): Promise<void> {
    await this.guarded(async () => {
      const view = await this.api.chat(chatId);
      const { logs } = this.store.state;
      const ids = Object.keys(logs).filter(id => id !== chatId);
      const gone = ids.slice(0, Math.max(0, ids.length - KEPT_CHATS + 1));
      const kept = { ...logs };
      for (const id of gone) {
        delete kept[id];
        this.stream.unfollow(id);
      }
      /* Last, so that insertion order is the order of opening. */
      delete kept[chatId];
      kept[chatId] = logFrom(view, logs[chatId]);
      this.store.update({ logs: kept });
      this.stream.follow(chatId, view.seq);
    });
  }

  async search(query: string): Promise<void> {
    this.store.update({ query, ...(query ? {} : { found: null }) });
    if (query) {
      await this.guarded(async () => {
        const list = await this.api.chats(query);
        if (this.store.state.query === query) {
          this.store.update({ found: list.chats.map(chat => chat.chat_id) });
        }
      });
    }
  }

  draft(): Draft {
    const { drafts, current } = this.store.state;
    return drafts[current ?? ''] ?? EMPTY_DRAFT;
  }

  setDraft(change: Partial<Draft>): void {
    const key = this.store.state.current ?? '';
    const draft = { ...this.draft(), ...change };
    this.store.update(state => ({ drafts: { ...state.drafts, [key]: draft } }));
  }

  removeChip(key: string): void {
    const items = this.draft().items.filter(item => chipKey(item) !== key);
    this.setDraft({ items });
    this.store.update(state => ({ removed: [...state.removed, key] }));
  }

  /** Attach things to the message being written. */
  attach(items: ContextItem[]): void {
    const keys = items.map(chipKey);
    const others = this.draft().items.filter(
      item => !keys.includes(chipKey(item))
    );
    this.setDraft({ items: [...others, ...items] });
    this.store.update(({ removed }) => ({
      removed: removed.filter(key => !keys.includes(key)),
      view: 'chat'
    }));
  }

  restoreChips(): void {
    this.store.update({ removed: [] });
  }

  /** Send the composer's text; the draft is kept when it fails. */
  async send(context?: ContextItem[]): Promise<void> {
    const draft = this.draft();
    const text = draft.text.trim();
    if (!text) {
      return;
    }
    const clientId = draft.clientId ?? UUID.uuid4();
    this.setDraft({ clientId });
    await this.guarded(async () => {
      const chatId = await this.ensureChat(text);
      const body: NewMessage = {
        text,
        client_id: clientId,
        context: context ?? this.chips()
      };
      const edited = this.messageOf(chatId, draft.editing);
      if (edited) {
        body.parent_id = edited.parent_id;
        body.is_root = edited.parent_id === null;
        body.context = edited.context;
      } else {
        const log = this.store.state.logs[chatId];
        body.parent_id = log ? leafOf(log) : null;
      }
      this.accept(chatId, await this.api.sendMessage(chatId, body));
      this.setDraft(EMPTY_DRAFT);
    });
  }

  /** Send a ready-made text: a suggestion, or "continue". */
  async sendText(text: string): Promise<void> {
    this.setDraft({ text, editing: null, clientId: null });
    await this.send();
  }

  /** Ask about something shown elsewhere than in the panel: a cell, an output. */
  async askAbout(text: string, context: ContextItem[]): Promise<void> {
    this.store.update({ view: 'chat' });
    this.setDraft({ text, editing: null, clientId: null });
    await this.send(context);
  }

  edit(message: Message): void {
    this.setDraft({
      text: message.text,
      editing: message.message_id,
      clientId: null
    });
  }

  async retry(message: Message): Promise<void> {
    const chatId = message.chat_id;
    const asked = this.questionBehind(message);
    if (!asked) {
      return;
    }
    await this.guarded(async () => {
      const body = { message_id: asked.message_id, client_id: UUID.uuid4() };
      const accepted = await this.api.retry(chatId, body);
      this.forgetChoice(chatId, asked.message_id);
      this.accept(chatId, accepted);
    });
  }

  async stop(chatId: string): Promise<void> {
    await this.guarded(() => this.api.stop(chatId));
  }

  showBranch(message: Message): void {
    this.store.update(state => ({
      logs: {
        ...state.logs,
        [message.chat_id]: choose(state.logs[message.chat_id], message)
      }
    }));
  }

  async changeChat(chatId: string, patch: ChatPatch): Promise<void> {
    await this.guarded(async () => {
      const chat = await this.api.patchChat(chatId, patch);
      this.store.update(state => putChat(state, chat));
    });
  }

  setMode(mode: Mode): void {
    this.choose({ mode });
  }

  setModel(model: string): void {
    this.choose({ model });
  }

  async deleteChat(chatId: string): Promise<void> {
    await this.guarded(async () => {
      await this.api.deleteChat(chatId);
      this.stream.unfollow(chatId);
      this.store.update(state => dropChat(state, chatId));
    });
  }

  async answer(
    question: Question,
    answer: string,
    scope?: GrantScope,
    hours?: number
  ): Promise<void> {
    await this.guarded(async () => {
      const body = scope ? { answer, scope, hours } : { answer };
      const answered = await this.api.answer(question.question_id, body);
      this.store.update(state => placeQuestion(state, answered));
    });
  }

  async loadQuestions(): Promise<void> {
    await this.guarded(async () => {
      const { questions } = await this.api.questions();
      this.store.update({ questions });
    });
  }

  async wholeResult(hash: string): Promise<string> {
    return this.api.wholeResult(hash);
  }

  reconnect(): void {
    this.stream.reconnect();
  }

  private choose(choice: { mode?: Mode; model?: string }): void {
    const { current } = this.store.state;
    if (current) {
      void this.changeChat(current, choice);
    } else {
      this.store.update(({ newChat }) => ({
        newChat: { ...newChat, ...choice }
      }));
    }
  }

  private async ensureChat(firstText: string): Promise<string> {
    const { current, drafts, newChat } = this.store.state;
    if (current) {
      return current;
    }
    const title = firstText.split('\n')[0].slice(0, 60);
    const chat = await this.api.newChat({ title, ...newChat });
    this.store.update(state => ({
      ...putChat(state, chat),
      current: chat.chat_id,
      newChat: NEW_CHAT,
      drafts: {
        ...drafts,
        [chat.chat_id]: drafts[''] ?? EMPTY_DRAFT,
        '': EMPTY_DRAFT
      }
    }));
    await this.loadChat(chat.chat_id);
    return chat.chat_id;
  }

  private accept(chatId: string, { message, run }: Accepted): void {
    this.store.update(state => {
      const log = state.logs[chatId];
      if (!log) {
        return {};
      }
      const runs = { [run.run_id]: run, ...log.runs };
      const known = log.messages[message.message_id] ?? message;
      const next = choose(putMessage({ ...log, runs }, known), known);
      return { logs: { ...state.logs, [chatId]: next } };
    });
  }

  private chips(): NewMessage['context'] {
    return chipsOf(this.store.state);
  }

  private messageOf(
    chatId: string,
    messageId: string | null
  ): Message | undefined {
    return this.store.state.logs[chatId]?.messages[messageId ?? ''];
  }

  /** The user's message an answer belongs to, or the message itself. */
  private questionBehind(message: Message): Message | undefined {
    let step: Message | undefined = message;
    while (step && step.role !== 'user') {
      step = this.messageOf(message.chat_id, step.parent_id);
    }
    return step;
  }

  private forgetChoice(chatId: string, messageId: string): void {
    this.store.update(state => {
      const log = state.logs[chatId];
      const chosen = { ...log.chosen };
      delete chosen[messageId];
      return { logs: { ...state.logs, [chatId]: { ...log, chosen } } };
    });
  }
}
