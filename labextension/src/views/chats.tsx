/* The list of chats, newest first, with search by title. */

import { addIcon, searchIcon } from '@jupyterlab/ui-components';
import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

import { sameItems, useFrame, useStore } from '../frame';
import { shortTime } from '../moments';
import { DeleteQuestion } from '../parts/confirm';
import { MenuButton } from '../parts/menu';
import { TitleInput } from '../parts/title';
import type { Chat } from '../types';

const TYPING_MS = 200;

export function ChatsView(): JSX.Element {
  const { actions, trans } = useFrame();
  const chats = useStore(
    state =>
      state.found
        ? state.chats.filter(chat => state.found?.includes(chat.chat_id))
        : state.chats,
    sameItems
  );
  const isLoaded = useStore(state => state.isListLoaded);
  const query = useStore(state => state.query);
  const [typed, setTyped] = React.useState(query);
  React.useEffect(() => {
    const timer = window.setTimeout(() => {
      if (typed !== query) {
        void actions.search(typed);
      }
    }, TYPING_MS);
    return () => window.clearTimeout(timer);
  }, [typed, query, actions]);
  return (
    <div className="linda-View">
      <div className="linda-Row linda-Search">
        <searchIcon.react tag="span" className="linda-Search-icon" />
        <input
          type="search"
          className="linda-Input"
          value={typed}
          placeholder={trans.__('Search chats')}
          aria-label={trans.__('Search chats by title')}
          onChange={event => setTyped(event.target.value)}
        />
        <button
          type="button"
          className="linda-Button linda-mod-primary"
          onClick={() => actions.startChat()}
        >
          <addIcon.react tag="span" className="linda-Button-icon" />
          {trans.__('New')}
        </button>
      </div>
      <div className="linda-Scroll">
        {chats.length > 0 ? (
          <ul className="linda-List" aria-label={trans.__('Chats')}>
            {chats.map(chat => (
              <ChatRow key={chat.chat_id} chat={chat} />
            ))}
          </ul>
        ) : (
          isLoaded && (
            <p className="linda-Nothing" role="status">
              {query
                ? trans.__('No chat has “%1” in its title.', query)
                : trans.__('No chats yet.')}
            </p>
          )
        )}
      </div>
    </div>
  );
}

function ChatRow(props: { chat: Chat }): JSX.Element {
  const { actions, trans } = useFrame();
  const { chat } = props;
  const [mode, setMode] = React.useState<'' | 'rename' | 'delete'>('');
  const title = chat.title || trans.__('New chat');
  if (mode === 'rename') {
    return (
      <li className="linda-List-item">
        <TitleInput
          title={chat.title}
          onDone={text => {
            setMode('');
            if (text) {
              void actions.changeChat(chat.chat_id, { title: text });
            }
          }}
        />
      </li>
    );
  }
  if (mode === 'delete') {
    return (
      <li className="linda-List-item">
        <DeleteQuestion
          title={title}
          onNo={() => setMode('')}
          onYes={() => void actions.deleteChat(chat.chat_id)}
        />
      </li>
    );
  }
  return (
    <li className="linda-List-item">
      <button
        type="button"
        className="linda-List-main"
        onClick={() => void actions.openChat(chat.chat_id)}
      >
        <span className="linda-List-title">{title}</span>
        <span className="linda-List-note">
          <ChatState chat={chat} />
          <span>{shortTime(chat.updated_at)}</span>
        </span>
      </button>
      <MenuButton
        className="linda-IconButton"
        label="⋮"
        title={trans.__('More for %1', title)}
        items={[
          { label: trans.__('Rename'), act: () => setMode('rename') },
          {
            label: trans.__('Delete…'),
            isDangerous: true,
            act: () => setMode('delete')
          }
        ]}
      />
    </li>
  );
}

function ChatState(props: { chat: Chat }): JSX.Element | null {
  const { trans } = useFrame();
  const { chat } = props;
  if (chat.waiting > 0) {
    return (
      <span className="linda-Badge">
        {trans._n('%1 question', '%1 questions', chat.waiting, chat.waiting)}
      </span>
    );
  }
  const word = stateWord(chat.state, trans);
  return word ? (
    <span className={`linda-mod-${chat.state}`}>{word}</span>
  ) : null;
}

function stateWord(state: Chat['state'], trans: TranslationBundle): string {
  switch (state) {
    case 'running':
      return trans.__('working…');
    case 'queued':
      return trans.__('queued');
    case 'failed':
      return trans.__('failed');
    case 'interrupted':
      return trans.__('cut off');
    case 'stopped':
      return trans.__('stopped');
    default:
      return '';
  }
}
