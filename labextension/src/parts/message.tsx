/* One message: the user's bubble, or the assistant's text with its cards. */

import { editIcon, refreshIcon } from '@jupyterlab/ui-components';
import React from 'react';

import { sameItems, useFrame, useStore } from '../frame';
import { usageWords } from '../models';
import { callsOf, questionsOf, siblingsOf } from '../reduce';
import { isHeld } from '../staged';
import type { Message } from '../types';
import { ApprovalCard } from './approval';
import { CallCard } from './call';
import { Chips } from './chips';
import { PinButton } from './condensed';
import { Markdown } from './markdown';
import { ProblemNote } from './problem';
import { QueuedLine, endLabel } from './run';
import { WhatLeft } from './sent';
import { SinceUndo } from './undo';

export const MessageRow = React.memo(function MessageRow(props: {
  message: Message;
  isLast: boolean;
}): JSX.Element {
  const { trans } = useFrame();
  const { message } = props;
  const isUser = message.role === 'user';
  return (
    <article
      className={`linda-Message linda-mod-${message.role}`}
      aria-label={isUser ? trans.__('You') : trans.__('Linda')}
      aria-busy={message.status === 'streaming'}
      data-message={message.message_id}
    >
      {isUser ? <UserText message={message} /> : <AssistantText {...props} />}
      <Branches message={message} />
    </article>
  );
});

function UserText(props: { message: Message }): JSX.Element {
  const { actions, trans } = useFrame();
  const { message } = props;
  return (
    <>
      <div className="linda-Asked">
        <div className="linda-Message-tools">
          <button
            type="button"
            className="linda-IconButton"
            title={trans.__('Edit and send again')}
            aria-label={trans.__('Edit and send again')}
            onClick={() => actions.edit(message)}
          >
            <editIcon.react tag="span" />
          </button>
          <button
            type="button"
            className="linda-IconButton"
            title={trans.__('Answer again')}
            aria-label={trans.__('Answer again')}
            onClick={() => void actions.retry(message)}
          >
            <refreshIcon.react tag="span" />
          </button>
          <SinceUndo message={message} />
          <PinButton message={message} />
        </div>
        <div className="linda-Bubble">{message.text}</div>
      </div>
      <Chips items={message.context} />
      <QueuedLine message={message} />
      <RunQuestions message={message} />
    </>
  );
}

/** What was answered about a run's requests, not about a call: an open question stands at the end of the chat. */
function RunQuestions(props: { message: Message }): JSX.Element {
  const { chat_id, message_id } = props.message;
  const questions = useStore(state => {
    const log = state.logs[chat_id];
    return log
      ? questionsOf(log, '').filter(
          one =>
            one.state !== 'open' &&
            log.runs[one.run_id]?.message_id === message_id
        )
      : [];
  }, sameItems);
  return (
    <>
      {questions.map(question => (
        <ApprovalCard key={question.question_id} question={question} />
      ))}
    </>
  );
}

function AssistantText(props: {
  message: Message;
  isLast: boolean;
}): JSX.Element {
  const { actions, trans } = useFrame();
  const { message } = props;
  const isStreaming = message.status === 'streaming';
  const label = endLabel(message.status, trans);
  return (
    <>
      {message.reasoning && (
        <details
          className="linda-Reasoning"
          open={message.status === 'failed' && !message.text}
        >
          <summary>{trans.__('Reasoning')}</summary>
          <div>{message.reasoning}</div>
        </details>
      )}
      {message.text && (
        <Markdown text={message.text} isStreaming={isStreaming} />
      )}
      {isStreaming && !message.text && (
        <div className="linda-Thinking">
          <span className="linda-sr">{trans.__('Linda is thinking')}</span>
        </div>
      )}
      <Cards message={message} />
      {message.text && !isStreaming && (
        <div className="linda-Message-tools linda-mod-corner">
          <PinButton message={message} />
        </div>
      )}
      <div className="linda-Message-foot">
        <WhatLeft message={message} />
        {message.usage && message.text && !isStreaming && (
          <span className="linda-Note">{usageWords(message.usage, trans)}</span>
        )}
      </div>
      {message.notice && (
        <p className="linda-Notice" role="note">
          {message.notice}
        </p>
      )}
      {message.error && (
        <ProblemNote problem={message.error}>
          <RetryButton message={message} />
        </ProblemNote>
      )}
      {label && !message.error && (
        <div className="linda-Ended">
          <span>{label}</span>
          <RetryButton message={message} />
          {props.isLast && (
            <button
              type="button"
              className="linda-Link"
              onClick={() =>
                void actions.sendText(trans.__('Continue where you stopped.'))
              }
            >
              {trans.__('Continue')}
            </button>
          )}
        </div>
      )}
    </>
  );
}

function RetryButton(props: { message: Message }): JSX.Element {
  const { actions, trans } = useFrame();
  return (
    <button
      type="button"
      className="linda-Link"
      onClick={() => void actions.retry(props.message)}
    >
      {trans.__('Retry')}
    </button>
  );
}

/** The calls of a message, each with the question that holds it up. */
function Cards(props: { message: Message }): JSX.Element {
  const { chat_id, message_id } = props.message;
  const calls = useStore(state => {
    const log = state.logs[chat_id];
    return log ? callsOf(log, message_id) : [];
  }, sameItems);
  const questions = useStore(state => {
    const log = state.logs[chat_id];
    return log ? calls.flatMap(call => questionsOf(log, call.call_id)) : [];
  }, sameItems);
  const held = useStore(state => {
    const log = state.logs[chat_id];
    return questions.filter(one => isHeld(log, one));
  }, sameItems);
  return (
    <>
      {calls.map(call => {
        const mine = questions.filter(one => one.call_id === call.call_id);
        return (
          <React.Fragment key={call.call_id}>
            {mine.map(question => (
              <ApprovalCard key={question.question_id} question={question} />
            ))}
            {!mine.some(one => one.state === 'open' || held.includes(one)) && (
              <CallCard call={call} wish={mine[0]?.preview.sentence} />
            )}
          </React.Fragment>
        );
      })}
    </>
  );
}

function Branches(props: { message: Message }): JSX.Element | null {
  const { actions, trans } = useFrame();
  const { message } = props;
  const siblings = useStore(state => {
    const log = state.logs[message.chat_id];
    return log ? siblingsOf(log, message) : [message];
  }, sameIds);
  if (siblings.length < 2) {
    return null;
  }
  const at = siblings.findIndex(one => one.message_id === message.message_id);
  const step = (by: number): JSX.Element => (
    <button
      type="button"
      className="linda-IconButton"
      disabled={!siblings[at + by]}
      aria-label={
        by < 0 ? trans.__('Previous version') : trans.__('Next version')
      }
      onClick={() => actions.showBranch(siblings[at + by])}
    >
      {by < 0 ? '‹' : '›'}
    </button>
  );
  return (
    <div
      className="linda-Branches"
      role="group"
      aria-label={trans.__('Versions')}
    >
      {step(-1)}
      <span>
        {at + 1}/{siblings.length}
      </span>
      {step(1)}
    </div>
  );
}

function sameIds(a: Message[], b: Message[]): boolean {
  return (
    a.length === b.length &&
    a.every((message, at) => message.message_id === b[at].message_id)
  );
}
