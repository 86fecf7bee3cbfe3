/* A tool call's card: one line; arguments, result, outputs and changes behind it. */

import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

import { problemFrom } from '../api';
import { useFrame, useStore } from '../frame';
import { duration } from '../moments';
import type { Call, CallState } from '../types';
import { Arguments } from './arguments';
import { DiffView } from './diff';
import { Outputs } from './outputs';
import { ProblemNote } from './problem';
import { CallUndo } from './undo';

/** `wish`: what its question said, for as long as it has no title of its own. */
export function CallCard(props: { call: Call; wish?: string }): JSX.Element {
  const { code, trans } = useFrame();
  const { call } = props;
  const title = call.title || props.wish || call.name;
  const [isOpen, setOpen] = React.useState(false);
  const progress = useStore(
    state => state.logs[call.chat_id]?.progress[call.call_id] ?? ''
  );
  /* The line of the answer says it already, and says by whom. */
  const isSaidNo = useStore(
    state =>
      call.state === 'refused' &&
      Object.values(state.logs[call.chat_id]?.questions ?? {}).some(
        question =>
          question.call_id === call.call_id && question.answer === 'no'
      )
  );
  const target = targetOf(call);
  return (
    <div
      role="group"
      className={`linda-Tool linda-mod-${call.state}`}
      aria-label={trans.__('Tool: %1', title)}
      data-call={call.call_id}
    >
      <button
        type="button"
        className="linda-Tool-line"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <StateMark state={call.state} />
        <span className="linda-Tool-title">{title}</span>
        <span className="linda-Tool-time">
          {duration(call.begun_at, call.done_at)}
        </span>
        <span aria-hidden="true">{isOpen ? '⌄' : '›'}</span>
      </button>
      {progress && call.state === 'begun' && <Progress text={progress} />}
      {call.problem && !isSaidNo && <ProblemNote problem={call.problem} />}
      {call.diffs.length > 0 && (
        <div className="linda-Card">
          <h4>
            {trans._n(
              '%1 change',
              '%1 changes',
              call.diffs.length,
              call.diffs.length
            )}
          </h4>
          {call.diffs.map((diff, at) => (
            <DiffView key={at} diff={diff} />
          ))}
          {target && (
            <div className="linda-Row linda-Card-answers">
              <button
                type="button"
                className="linda-Button"
                onClick={() => code.openDocument(target.path, target.cellId)}
              >
                {trans.__('Show in notebook')}
              </button>
            </div>
          )}
        </div>
      )}
      <CallUndo call={call} />
      {call.found.length > 0 && <Found lines={call.found} />}
      {call.outputs.length > 0 && <Outputs outputs={call.outputs} />}
      {isOpen && (
        <div className="linda-Tool-body">
          <p>
            <code>{call.name}</code>
          </p>
          <Arguments value={call.arguments} />
          {call.result && <Result call={call} />}
        </div>
      )}
    </div>
  );
}

/** Orders to an assistant that stood in the content. */
function Found(props: { lines: string[] }): JSX.Element {
  const { trans } = useFrame();
  return (
    <div className="linda-Found" role="note">
      <strong>
        {trans.__('This content holds text that reads like orders to Linda:')}
      </strong>
      <ul>
        {props.lines.map(line => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      <span>
        {trans.__(
          'It is not from you. Whatever goes beyond what you asked for is asked about.'
        )}
      </span>
    </div>
  );
}

/** Live text; its end is what matters. */
function Progress(props: { text: string }): JSX.Element {
  const node = React.useRef<HTMLPreElement>(null);
  React.useLayoutEffect(() => {
    node.current?.scrollTo(0, node.current.scrollHeight);
  }, [props.text]);
  return (
    <pre ref={node} className="linda-Tool-progress" tabIndex={0}>
      {props.text}
    </pre>
  );
}

function Result(props: { call: Call }): JSX.Element {
  const { actions, trans } = useFrame();
  const [text, setText] = React.useState<string | null>(null);
  const hash = props.call.result_hash;
  return (
    <>
      <p>{trans.__('What the model was told')}</p>
      <pre tabIndex={0} className="linda-Tool-result">
        {text ?? props.call.result}
      </pre>
      {hash && text === null && (
        <button
          type="button"
          className="linda-Link"
          onClick={() =>
            void actions
              .wholeResult(hash)
              .then(setText, error => setText(problemFrom(error).message))
          }
        >
          {trans.__('Show the whole result')}
        </button>
      )}
    </>
  );
}

const MARKS: Record<CallState, string> = {
  asked: '○',
  begun: '',
  done: '✓',
  failed: '✕',
  refused: '⊘',
  unknown: '?',
  stopped: '■'
};

function StateMark(props: { state: CallState }): JSX.Element {
  const { trans } = useFrame();
  return (
    <span className={`linda-Mark linda-mod-${props.state}`}>
      <span aria-hidden="true">{MARKS[props.state]}</span>
      <span className="linda-sr">{stateWord(props.state, trans)}</span>
    </span>
  );
}

function stateWord(state: CallState, trans: TranslationBundle): string {
  const words: Record<CallState, string> = {
    asked: trans.__('asked for'),
    begun: trans.__('running'),
    done: trans.__('done'),
    failed: trans.__('failed'),
    refused: trans.__('refused'),
    unknown: trans.__('outcome unknown'),
    stopped: trans.__('stopped')
  };
  return words[state];
}

/** The notebook a call worked on, by the arguments' own names. */
function targetOf(call: Call): { path: string; cellId: string } | null {
  const { arguments: given } = call;
  if (given === null || typeof given !== 'object' || Array.isArray(given)) {
    return null;
  }
  const path = given.path;
  if (typeof path !== 'string' || !path.endsWith('.ipynb')) {
    return null;
  }
  return {
    path,
    cellId: typeof given.cell_id === 'string' ? given.cell_id : ''
  };
}
