/* Toasts for runs that end and questions that wait while the user looks elsewhere. */

import { Notification } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { Notice } from './store';
import type { Chat } from './types';

const SHOWN_MS = 8_000;

export function notify(
  kind: Notice,
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
