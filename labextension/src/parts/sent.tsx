/* "What left": every request of a message, exactly as it went out. Asked for when it is opened. */

import React from 'react';

import { useFrame, useStore } from '../frame';
import type { Message, SentCall } from '../types';

export function WhatLeft(props: { message: Message }): JSX.Element | null {
  const { actions, trans } = useFrame();
  const { message } = props;
  const isHere = useStore(
    state =>
      state.models?.models.find(one => one.model_id === message.model)
        ?.is_local ?? false
  );
  const [calls, setCalls] = React.useState<SentCall[] | null>(null);
  if (!message.model || isHere || message.status === 'streaming') {
    return null;
  }
  return (
    <details
      className="linda-Reasoning"
      onToggle={event => {
        if (event.currentTarget.open) {
          void actions.loadSent(message.message_id).then(setCalls);
        }
      }}
    >
      <summary>{trans.__('What left')}</summary>
      {calls?.length === 0 && <p>{trans.__('Nothing was kept of it.')}</p>}
      {calls?.map((call, at) => (
        <OneCall key={at} call={call} />
      ))}
    </details>
  );
}

function OneCall(props: { call: SentCall }): JSX.Element {
  const { trans } = useFrame();
  const { call } = props;
  const replaced = Object.entries(call.placeholders);
  if (call.is_here) {
    return <p>{trans.__('%1, on this machine: nothing left.', call.model)}</p>;
  }
  return (
    <div>
      <p>
        {trans.__('To %1: %2', call.destination || call.model, call.reason)}
      </p>
      {replaced.length > 0 && (
        <p className="linda-Note">
          {trans.__(
            'Replaced: %1',
            replaced.map(([kind, count]) => `${kind} ×${count}`).join(', ')
          )}
        </p>
      )}
      {call.withheld.map((one, at) => (
        <p key={at} className="linda-Note">
          {trans.__('Stayed here: %1 (%2)', `${one.what} ${one.of}`, one.level)}
        </p>
      ))}
      <pre
        className="linda-Card-code"
        tabIndex={0}
        aria-label={trans.__('Exactly what left')}
      >
        {call.text}
      </pre>
      <p className="linda-Note">
        {trans._n(
          'And the description of %1 tool.',
          'And the descriptions of %1 tools.',
          call.tools,
          call.tools
        )}
      </p>
    </div>
  );
}
