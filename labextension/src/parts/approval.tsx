/* A waiting question: the exact thing, and the answers a person can give. */

import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

import { useFrame, useStore } from '../frame';
import { clockTime } from '../moments';
import { reasonWords } from '../reasons';
import { isHeld } from '../staged';
import type { GrantScope, Question } from '../types';
import { Arguments } from './arguments';
import { DiffView } from './diff';
import { HeldCard } from './held';
import { MenuButton } from './menu';
import { GrantUndo } from './undo';

/** A consent or a budget says much: only what it asks stands out. */
function LeadingQuestion(props: { text: string }): JSX.Element {
  const end = props.text.search(/[?？]/) + 1 || props.text.length;
  return (
    <>
      {props.text.slice(0, end)}
      <span className="linda-mod-plain">{props.text.slice(end)}</span>
    </>
  );
}

export function ApprovalCard(props: { question: Question }): JSX.Element {
  const { trans } = useFrame();
  const { question } = props;
  const { preview } = question;
  const [isExact, setExact] = React.useState(false);
  const id = React.useId();
  const waits = useStore(state =>
    isHeld(state.logs[question.chat_id], question)
  );
  if (question.state !== 'open') {
    return waits ? (
      <HeldCard question={question} />
    ) : (
      <Decision question={question} />
    );
  }
  return (
    <div
      role="group"
      className="linda-Card linda-mod-ask"
      aria-labelledby={id}
      data-question={question.question_id}
    >
      <h4 id={id}>
        {question.kind === 'approval' ? (
          preview.sentence
        ) : (
          <LeadingQuestion text={preview.sentence} />
        )}
      </h4>
      {preview.findings.length > 0 && (
        <ul className="linda-Card-findings">
          {preview.findings.map(finding => (
            <li key={finding}>{finding}</li>
          ))}
        </ul>
      )}
      {preview.read_before.length > 0 && (
        <p className="linda-Card-read">
          {trans.__('Wanted after: %1', preview.read_before.join(' · '))}
        </p>
      )}
      {preview.code && (
        <pre
          tabIndex={0}
          className="linda-Card-code"
          aria-label={
            question.kind === 'consent'
              ? trans.__('What would leave')
              : trans.__('Code')
          }
        >
          {preview.code}
        </pre>
      )}
      {preview.diffs.map((diff, at) => (
        <DiffView key={at} diff={diff} />
      ))}
      {isExact && <Arguments value={question.arguments} />}
      <Answers question={question} />
      {preview.rule && (
        <p className="linda-Note">{reasonWords(preview.rule, trans)}</p>
      )}
      <div className="linda-Card-foot">
        <span>
          {trans.__(
            'Waits until %1; no answer means no.',
            clockTime(question.expires_at)
          )}
        </span>
        {question.kind !== 'choice' && question.kind !== 'consent' && (
          <button
            type="button"
            className="linda-Link"
            aria-expanded={isExact}
            onClick={() => setExact(!isExact)}
          >
            {isExact
              ? trans.__('Hide exact arguments')
              : trans.__('Exact arguments')}
          </button>
        )}
      </div>
    </div>
  );
}

function Answers(props: { question: Question }): JSX.Element {
  const { actions, trans } = useFrame();
  const { question } = props;
  const [isBusy, setBusy] = React.useState(false);
  const [text, setText] = React.useState('');
  const give: typeof actions.answer = async (...answer) => {
    setBusy(true);
    await actions.answer(...answer);
    setBusy(false);
  };
  if (question.kind === 'consent') {
    return <ConsentAnswers isBusy={isBusy} give={a => give(question, a)} />;
  }
  if (question.kind !== 'approval') {
    return (
      <div className="linda-Row linda-Card-answers">
        {question.choices.map(choice => (
          <button
            key={choice}
            type="button"
            className="linda-Button"
            disabled={isBusy}
            onClick={() => void give(question, choice)}
          >
            {choice}
          </button>
        ))}
        {question.kind === 'choice' && (
          <form
            className="linda-Row linda-mod-grow"
            onSubmit={event => {
              event.preventDefault();
              void (text.trim() && give(question, text.trim()));
            }}
          >
            <input
              className="linda-Input"
              aria-label={trans.__('Another answer')}
              placeholder={trans.__('Another answer')}
              value={text}
              onChange={event => setText(event.target.value)}
            />
            <button
              type="submit"
              className="linda-Button"
              disabled={isBusy || !text.trim()}
            >
              {trans.__('Answer')}
            </button>
          </form>
        )}
      </div>
    );
  }
  return (
    <div className="linda-Row linda-Card-answers">
      <button
        type="button"
        className="linda-Button linda-mod-primary"
        disabled={isBusy}
        onClick={() => void give(question, 'once')}
      >
        {trans.__('Allow once')}
      </button>
      {question.scopes.length > 0 && (
        <MenuButton
          className="linda-Button"
          label={<>{trans.__('Always here')} ▾</>}
          title={trans.__('Always here: choose how far')}
          isDisabled={isBusy}
          items={[
            ...shorterSpans(question.scopes[0]).map(hours => ({
              label: question.scopes[0].label,
              note: spanWords(hours, trans),
              act: () =>
                void give(question, 'always', question.scopes[0], hours)
            })),
            ...question.scopes.map(scope => ({
              label: scope.label,
              note: scopeReach(scope.days, trans),
              act: () => void give(question, 'always', scope)
            }))
          ]}
        />
      )}
      <button
        type="button"
        className="linda-Button"
        disabled={isBusy}
        onClick={() => void give(question, 'no')}
      >
        {trans.__('No')}
      </button>
    </div>
  );
}

/** May this leave: this once, always from this folder to this provider, or not. */
function ConsentAnswers(props: {
  isBusy: boolean;
  give: (answer: string) => Promise<void>;
}): JSX.Element {
  const { trans } = useFrame();
  const answers: [string, string][] = [
    ['once', trans.__('Send for this answer')],
    ['always', trans.__('Always from this folder')],
    ['no', trans.__('No')]
  ];
  return (
    <div className="linda-Row linda-Card-answers">
      {answers.map(([answer, words]) => (
        <button
          key={answer}
          type="button"
          className={`linda-Button${answer === 'once' ? ' linda-mod-primary' : ''}`}
          disabled={props.isBusy}
          onClick={() => void props.give(answer)}
        >
          {words}
        </button>
      ))}
    </div>
  );
}

/** One line for a question that is closed: who decided, what, when. */
function Decision(props: { question: Question }): JSX.Element {
  const { trans } = useFrame();
  const { question } = props;
  const [isOpen, setOpen] = React.useState(false);
  return (
    <div className="linda-Decision">
      <button
        type="button"
        className="linda-Tool-line"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <span aria-hidden="true">
          {/^(no|unasked)$/.test(question.answer ?? '') ? '✕' : '⚖'}
        </span>
        <span className="linda-Tool-title">
          {decisionText(question, trans)}
        </span>
        <span aria-hidden="true">›</span>
      </button>
      <GrantUndo question={question} />
      {isOpen && (
        <div className="linda-Tool-body">
          <p>{question.preview.sentence}</p>
          {question.kind === 'consent' ? (
            <pre className="linda-Card-code" tabIndex={0}>
              {question.preview.code}
            </pre>
          ) : (
            <Arguments value={question.arguments} />
          )}
        </div>
      )}
    </div>
  );
}

function decisionText(question: Question, trans: TranslationBundle): string {
  if (question.state === 'expired') {
    return trans.__('Nobody answered in time: not done');
  }
  if (question.state === 'void') {
    return trans.__('Question withdrawn');
  }
  const at = question.closed_at ? clockTime(question.closed_at) : '';
  const by =
    question.answered_by === 'panel'
      ? trans.__('you')
      : question.answered_by || trans.__('someone');
  switch (question.answer) {
    case 'once':
      return trans.__('Allowed once by %1, %2', by, at);
    case 'always':
      return trans.__('Always allowed by %1, %2', by, at);
    case 'no':
      return trans.__('Refused by %1, %2', by, at);
    case 'unasked':
      return trans.__('Nobody could be asked: not done');
    default:
      return trans.__(
        'Answered by %1, %2: “%3”',
        by,
        at,
        question.answer ?? ''
      );
  }
}

const SPANS_H = [1, 24, 7 * 24];

/** Spans in hours that are shorter than what the scope offers. */
function shorterSpans(scope: GrantScope): number[] {
  return SPANS_H.filter(
    hours => scope.days === null || hours < scope.days * 24
  );
}

function spanWords(hours: number, trans: TranslationBundle): string {
  return hours < 24
    ? trans._n('for %1 hour', 'for %1 hours', hours, hours)
    : scopeReach(hours / 24, trans);
}

function scopeReach(days: number | null, trans: TranslationBundle): string {
  return days === null
    ? trans.__('until revoked')
    : trans._n('for %1 day', 'for %1 days', days, days);
}
