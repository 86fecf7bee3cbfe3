/* The person's own budgets. */

import React from 'react';

import { useFrame } from '../frame';
import type { Budgets } from '../types';

const LIMITS = [
  'run_usd',
  'day_usd',
  'month_usd',
  'run_tokens',
  'day_tokens',
  'month_tokens'
] as const;

/** The person's own budgets; the server's may be smaller. */
export function BudgetForm(props: {
  own: Budgets;
  /** They were saved, or others turned out to be set by now. */
  onNewer: () => void;
}): JSX.Element {
  const { actions, trans } = useFrame();
  const [draft, setDraft] = React.useState<Budgets | null>(null);
  /* The budgets that the draft was made from: others may be saved while it is made. */
  const [base, setBase] = React.useState(props.own);
  const own = draft ?? props.own;
  const newer = LIMITS.filter(name => draft && base[name] !== props.own[name]);
  const labels = {
    run_usd: trans.__('One reply, US dollars'),
    day_usd: trans.__('A day, US dollars'),
    month_usd: trans.__('A month, US dollars'),
    run_tokens: trans.__('One reply, tokens'),
    day_tokens: trans.__('A day, tokens'),
    month_tokens: trans.__('A month, tokens')
  };
  return (
    <details>
      <summary>{trans.__('My budgets')}</summary>
      <p className="linda-Note">
        {trans.__(
          'Before a step would pass one, Linda asks. Models on this machine use none. 0 is no limit.'
        )}
      </p>
      <form
        className="linda-Form"
        onSubmit={event => {
          event.preventDefault();
          void actions.saveBudgets(own, props.own).then(isDone => {
            if (isDone) {
              setDraft(null);
            }
            props.onNewer();
          });
        }}
      >
        {LIMITS.map(name => (
          <label key={name} className="linda-Field">
            <span>{labels[name]}</span>
            <input
              className="linda-Input"
              type="number"
              min={0}
              step={name.endsWith('usd') ? 'any' : 1}
              value={own[name]}
              onChange={event => {
                setDraft({ ...own, [name]: Number(event.target.value) });
                setBase(draft ? base : props.own);
              }}
            />
          </label>
        ))}
        {newer.length > 0 && (
          <div role="alert">
            <p>
              {trans.__(
                'The budgets were changed elsewhere meanwhile. Saving replaces them.'
              )}
            </p>
            <ul className="linda-List">
              {newer.map(name => (
                <li key={name}>
                  {labels[name]}: {props.own[name]}
                </li>
              ))}
            </ul>
          </div>
        )}
        <div className="linda-Row">
          <button type="submit" className="linda-Button linda-mod-primary">
            {trans.__('Save')}
          </button>
        </div>
      </form>
    </details>
  );
}
