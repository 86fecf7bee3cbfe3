/* The line where a summary begins to stand for the messages above it, and a message's pin. */

import React from 'react';

import { useFrame, useStore } from '../frame';
import type { Message } from '../types';

export function CondensedLine(props: { message: Message }): JSX.Element | null {
  const { trans } = useFrame();
  const { chat_id, message_id } = props.message;
  const summary = useStore(state => state.logs[chat_id]?.summaries[message_id]);
  if (!summary) {
    return null;
  }
  const sizes = trans.__(
    '%1 → %2 tokens',
    summary.tokens_before.toLocaleString(),
    summary.tokens_after.toLocaleString()
  );
  return (
    <details className="linda-Condensed">
      <summary>
        {trans.__('Linda has the messages above as a summary')} · {sizes}
      </summary>
      <p className="linda-Note">
        {summary.made_by === 'extract'
          ? trans.__(
              'Sentences picked by rules. The messages stay in this chat.'
            )
          : trans.__(
              'Written by %1. The messages stay in this chat.',
              summary.made_by
            )}
      </p>
      <pre>{summary.text}</pre>
    </details>
  );
}

export function PinButton(props: { message: Message }): JSX.Element {
  const { actions, trans } = useFrame();
  const { message } = props;
  const words = message.is_pinned
    ? trans.__('Unpin: it may become part of a summary')
    : trans.__('Pin: Linda keeps it word for word');
  return (
    <button
      type="button"
      className={`linda-IconButton linda-Pin ${message.is_pinned ? 'linda-mod-pinned' : ''}`}
      title={words}
      aria-label={words}
      aria-pressed={message.is_pinned}
      onClick={() => void actions.pin(message)}
    >
      <PinPicture />
    </button>
  );
}

function PinPicture(): JSX.Element {
  return (
    <svg viewBox="0 0 24 24" width="16" height="16" aria-hidden="true">
      <path
        className="jp-icon3"
        fill="#616161"
        d="M16 3v2l-1 1v5l3 3v2h-5v5l-1 1-1-1v-5H6v-2l3-3V6L8 5V3z"
      />
    </svg>
  );
}
