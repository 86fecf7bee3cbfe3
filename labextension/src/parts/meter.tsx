/* How full the window is, and with what; opened, it offers to condense the chat. */

import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

import { useFrame, useStore } from '../frame';
import { costOf } from '../moments';
import { activeRun } from '../reduce';
import type { ContextMeter, ContextPart } from '../types';
import { InstructionList } from './instructions';

/** From here on older messages become a summary. */
const FULL = 0.75;

export function Meter(): JSX.Element | null {
  const { trans } = useFrame();
  const meter = useStore(state => state.logs[state.current ?? '']?.meter);
  const [isOpen, setOpen] = React.useState(false);
  const id = React.useId();
  if (!meter) {
    return null;
  }
  const share = Math.min(1, meter.used / meter.window);
  const words = trans.__(
    'Context: %1 of %2 tokens',
    meter.used.toLocaleString(),
    meter.window.toLocaleString()
  );
  return (
    <>
      <button
        type="button"
        className={`linda-Pill linda-Meter ${share >= FULL ? 'linda-mod-full' : ''}`}
        title={words}
        aria-label={words}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        <Bar share={share} />
        {Math.round(share * 100)} %
      </button>
      {isOpen && (
        <Parts
          id={id}
          meter={meter}
          words={words}
          close={() => setOpen(false)}
        />
      )}
    </>
  );
}

function Parts(props: {
  id: string;
  meter: ContextMeter;
  words: string;
  close: () => void;
}): JSX.Element {
  const { trans } = useFrame();
  const { meter } = props;
  return (
    <section
      id={props.id}
      className="linda-Meter-parts"
      aria-label={trans.__('What the model is given')}
      onKeyDown={event => {
        if (event.key === 'Escape') {
          event.stopPropagation();
          props.close();
        }
      }}
    >
      <strong>{props.words}</strong>
      <table>
        <tbody>
          {meter.parts.map((part, at) => (
            <tr key={at}>
              <th scope="row">{partName(part, trans)}</th>
              <td>
                <Bar share={part.tokens / meter.window} />
              </td>
              <td>{part.tokens.toLocaleString()}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="linda-Note" title={meter.counted_by}>
        {meter.is_estimate
          ? trans.__('Estimated: the tokenizer of %1 is not here.', meter.model)
          : trans.__('Counted with the tokenizer of %1.', meter.model)}
        {meter.shortened > 0 &&
          ` ${trans._n(
            '%1 result is shortened.',
            '%1 results are shortened.',
            meter.shortened,
            meter.shortened
          )}`}
        {Boolean(meter.step_usd) &&
          ` ${trans.__('A step with this costs about %1.', costOf(meter.step_usd ?? 0))}`}
      </p>
      <InstructionList />
      <CondenseButton />
    </section>
  );
}

function CondenseButton(): JSX.Element {
  const { actions, trans } = useFrame();
  const isBusy = useStore(state => state.condensing === state.current);
  const isNothing = useStore(state => state.nothingOlder === state.current);
  const isRunning = useStore(state => {
    const log = state.logs[state.current ?? ''];
    return log !== undefined && activeRun(log) !== undefined;
  });
  return (
    <p>
      <button
        type="button"
        className="linda-Button"
        disabled={isBusy || isRunning}
        onClick={() => void actions.condense()}
      >
        {isBusy ? trans.__('Condensing…') : trans.__('Condense older messages')}
      </button>{' '}
      <span className="linda-Note" role="status">
        {isNothing
          ? trans.__('Nothing is older than the last six messages.')
          : trans.__('The last six and what you pinned stay as they are.')}
      </span>
    </p>
  );
}

function Bar(props: { share: number }): JSX.Element {
  return (
    <span className="linda-Bar" aria-hidden="true">
      <span style={{ width: `${Math.max(2, props.share * 100)}%` }} />
    </span>
  );
}

function partName(part: ContextPart, trans: TranslationBundle): string {
  const name = {
    instructions: trans.__('Instructions'),
    tools: trans.__('Tools'),
    standing: trans.__('Standing instructions'),
    skills: trans.__('Skills'),
    summary: trans.__('Summary of older messages'),
    messages: trans.__('Messages'),
    results: trans.__('Results of tools'),
    pictures: trans.__('Pictures')
  }[part.kind];
  const file = part.is_cut ? trans.__('%1 (cut)', part.name) : part.name;
  return part.name ? file : name;
}
