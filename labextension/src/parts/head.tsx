/* A chat's head: connection, title, model, and what else can be done with it. */

import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

import { useFrame, useStore } from '../frame';
import { describe } from '../models';
import type { Connection } from '../stream';
import { DeleteQuestion } from './confirm';
import { MenuButton } from './menu';
import { TitleInput } from './title';

export function ChatHead(): JSX.Element {
  const { actions, trans } = useFrame();
  const current = useStore(state => state.current);
  const title = useStore(
    state => state.chats.find(chat => chat.chat_id === current)?.title ?? ''
  );
  const [mode, setMode] = React.useState<'' | 'rename' | 'delete'>('');
  const shown = title || trans.__('New chat');
  if (current && mode === 'delete') {
    return (
      <div className="linda-Head">
        <DeleteQuestion
          title={shown}
          onNo={() => setMode('')}
          onYes={() => void actions.deleteChat(current)}
        />
      </div>
    );
  }
  return (
    <div className="linda-Head">
      <button
        type="button"
        className="linda-IconButton"
        title={trans.__('All chats')}
        aria-label={trans.__('All chats')}
        onClick={() => actions.show('chats')}
      >
        ‹
      </button>
      <ConnectionDot />
      {current && mode === 'rename' ? (
        <TitleInput
          title={title}
          onDone={text => {
            setMode('');
            if (text) {
              void actions.changeChat(current, { title: text });
            }
          }}
        />
      ) : (
        <h3 title={shown}>{shown}</h3>
      )}
      <ModelPicker />
      <MenuButton
        className="linda-IconButton"
        label="⋮"
        title={trans.__('More for this chat')}
        items={[
          { label: trans.__('New chat'), act: () => actions.startChat() },
          ...(current
            ? [
                { label: trans.__('Rename'), act: () => setMode('rename') },
                {
                  label: trans.__('Delete…'),
                  isDangerous: true,
                  act: () => setMode('delete')
                }
              ]
            : [])
        ]}
      />
    </div>
  );
}

function ConnectionDot(): JSX.Element {
  const { trans } = useFrame();
  const connection = useStore(state => state.connection);
  const words = connectionWords(connection, trans);
  return (
    <span
      className={`linda-Dot linda-mod-${connection}`}
      role="img"
      aria-label={words}
      title={words}
    />
  );
}

function connectionWords(
  connection: Connection,
  trans: TranslationBundle
): string {
  return {
    open: trans.__('Connected'),
    connecting: trans.__('Connecting…'),
    retrying: trans.__('Connection lost; trying again…'),
    lost: trans.__('Not connected')
  }[connection];
}

/** The chat's model, or the default one when the chat has none of its own. */
function ModelPicker(): JSX.Element | null {
  const { actions, trans } = useFrame();
  const models = useStore(state => state.models);
  const chosen = useStore(state => {
    const chat = state.chats.find(one => one.chat_id === state.current);
    return chat ? chat.model : state.newChat.model;
  });
  if (!models) {
    return null;
  }
  const inUse = chosen || models.default;
  const shown = models.models.find(model => model.model_id === inUse);
  const label =
    (shown && describe(shown, trans).label) || inUse || trans.__('No model');
  return (
    <MenuButton
      label={
        <>
          <span className="linda-Pill-text">{label}</span> ▾
        </>
      }
      title={trans.__('Model: %1', label)}
      items={[
        ...models.models.map(model => {
          const { label, notes } = describe(model, trans);
          return {
            label,
            note: notes.join(' · '),
            isChecked: model.model_id === inUse,
            act: () => actions.setModel(model.model_id)
          };
        }),
        {
          label: trans.__('Connect a model…'),
          act: () => actions.show('settings')
        }
      ]}
    />
  );
}
