/* Every question that waits for a person, over all chats. */

import React from 'react';

import { sameItems, useFrame, useStore } from '../frame';
import { ApprovalCard } from '../parts/approval';

export function QuestionsView(): JSX.Element {
  const { actions, trans } = useFrame();
  const questions = useStore(state => state.questions, sameItems);
  const chats = useStore(state => state.chats, sameItems);
  const titles = new Map(chats.map(chat => [chat.chat_id, chat.title]));
  return (
    <div className="linda-View">
      <div className="linda-Scroll linda-Page">
        <h3 className="linda-sr">{trans.__('Questions that wait for you')}</h3>
        {questions.length === 0 && (
          <p className="linda-Nothing" role="status">
            {trans.__('Nothing waits for you.')}
          </p>
        )}
        {questions.map(question => (
          <div key={question.question_id}>
            <button
              type="button"
              className="linda-Link"
              onClick={() => void actions.openChat(question.chat_id)}
            >
              {titles.get(question.chat_id) || trans.__('New chat')}
            </button>
            <ApprovalCard question={question} />
          </div>
        ))}
      </div>
    </div>
  );
}
