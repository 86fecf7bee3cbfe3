/* Toasts for runs that end and questions that wait while the user looks elsewhere. */

import { Notification } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { Chat } from './types';

const SHOWN_MS = 8_000;

/** What happened to a chat, if it deserves a word. */
export function noticeOf(
  before: Chat | undefined,
  after: Chat
): 'question' | 'done' | 'failed' | null {
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

export function notify(
  kind: 'question' | 'done' | 'failed',
  chat: Chat,
  trans: TranslationBundle,
  show: () => void
): void {
  const title = chat.title || trans.__('New chat');
  const words = {
    question: trans.__('Linda asks: %1', title),
    done: trans.__('Linda is done: %1', title),
    failed: trans.__('Linda could not finish: %1', title)
  }[kind];
  const type = (
    { question: 'warning', done: 'success', failed: 'error' } as const
  )[kind];
  Notification.emit(words, type, {
    autoClose: kind === 'question' ? false : SHOWN_MS,
    actions: [
      { label: trans.__('Show'), displayType: 'accent', callback: show }
    ]
  });
}
