/* A staged change at its cell, and the bar for all of a notebook. */

import React from 'react';

import { useFrame, useStore } from '../frame';
import type { Staged } from '../staged';
import { DiffView } from './diff';
import { HeldWords } from './held';

export function StagedCell(props: { staged: Staged }): JSX.Element {
  const { trans } = useFrame();
  const { staged } = props;
  return (
    <section
      className={`linda-Staged ${staged.question ? 'linda-mod-ask' : 'linda-mod-fresh'}`}
      aria-label={trans.__('Linda: %1', staged.sentence)}
      data-staged={staged.key}
    >
      <div className="linda-Staged-head">
        <strong>{staged.sentence}</strong>
        {staged.isHeld ? <HeldWords /> : <Decide staged={[staged]} />}
      </div>
      {staged.words && (
        <p role="status" className="linda-Undo-words">
          {staged.words}
        </p>
      )}
      {staged.diffs.map((diff, at) => (
        <DiffView key={at} diff={{ ...diff, label: '' }} />
      ))}
    </section>
  );
}

export function StagedBar(props: {
  staged: Staged[];
  goTo: (one: Staged) => void;
}): JSX.Element {
  const { trans } = useFrame();
  const { staged } = props;
  const [at, setAt] = React.useState(0);
  const count = staged.length;
  const open = staged.filter(one => !one.isHeld);
  return (
    <div
      className="linda-StagedBar"
      role="region"
      aria-label={trans.__('Changes by Linda')}
    >
      <span>
        {trans._n(
          '%1 change by Linda in this notebook',
          '%1 changes by Linda in this notebook',
          count,
          count
        )}
      </span>
      <button
        type="button"
        className="linda-Button"
        onClick={() => {
          props.goTo(staged[at % count]);
          setAt(at + 1);
        }}
      >
        {trans.__('Go to the next')}
      </button>
      {count > 1 && open.length > 0 && <Decide staged={open} isAll />}
    </div>
  );
}

/** Accept: a question is answered with yes, a done change is kept. Reject: no, or undone around later typing. */
function Decide(props: { staged: Staged[]; isAll?: boolean }): JSX.Element {
  const { actions, trans } = useFrame();
  const [isBusy, setBusy] = React.useState(false);
  const isTurning = useStore(state => state.isTurning);
  const decide = async (isAccepted: boolean): Promise<void> => {
    setBusy(true);
    const order = isAccepted ? props.staged : [...props.staged].reverse();
    for (const { question, calls } of order) {
      if (question) {
        if (isAccepted && question.call_id) {
          actions.lookOver(question.call_id);
        }
        await actions.answer(question, isAccepted ? 'once' : 'no');
      }
      for (const call of isAccepted ? calls : [...calls].reverse()) {
        const wish = { call_id: call.call_id };
        /* What could not be taken back is still there: it stays to be looked over, and says why. */
        if (!isAccepted && !(await actions.undo(call.chat_id, wish))) {
          break;
        }
        actions.lookOver(call.call_id);
      }
    }
    setBusy(false);
  };
  return (
    <span className="linda-Row">
      <button
        type="button"
        className="linda-Button linda-mod-primary"
        disabled={isBusy || isTurning}
        onClick={() => void decide(true)}
      >
        {props.isAll ? trans.__('Accept all') : trans.__('Accept')}
      </button>
      <button
        type="button"
        className="linda-Button"
        disabled={isBusy || isTurning}
        onClick={() => void decide(false)}
      >
        {props.isAll ? trans.__('Reject all') : trans.__('Reject')}
      </button>
    </span>
  );
}
