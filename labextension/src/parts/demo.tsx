/* Says what the built-in demo model can and cannot do. */

import React from 'react';

import { useFrame, useStore } from '../frame';

export const DEMO_MODEL = 'linda/demo';

/** Whether the demo model answers in the current chat. */
export function useIsDemo(): boolean {
  return useStore(state => {
    const chat = state.chats.find(one => one.chat_id === state.current);
    const own = chat ? chat.model : state.newChat.model;
    return (own || state.models?.default) === DEMO_MODEL;
  });
}

export function DemoNote(): JSX.Element | null {
  const { actions, trans } = useFrame();
  const isDemo = useIsDemo();
  const [isShort, setShort] = React.useState(false);
  if (!isDemo) {
    return null;
  }
  return (
    <div className="linda-Demo">
      <p>
        {isShort
          ? trans.__('Small demo model on this machine.')
          : trans.__(
              'A small demo model runs on this machine; nothing leaves it. It can list, open, read, insert, run and describe; it cannot write reliable code.'
            )}{' '}
        <button
          type="button"
          className="linda-Link"
          onClick={() => actions.show('settings')}
        >
          {trans.__('Connect a model')}
        </button>
      </p>
      <button
        type="button"
        className="linda-IconButton"
        aria-expanded={!isShort}
        aria-label={trans.__('About the demo model')}
        onClick={() => setShort(!isShort)}
      >
        {isShort ? '⌄' : '⌃'}
      </button>
    </div>
  );
}
