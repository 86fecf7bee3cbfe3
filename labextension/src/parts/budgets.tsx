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
  onSaved: () => void;
}): JSX.Element {
  const { actions, trans } = useFrame();
  const [own, setOwn] = React.useState(props.own);
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
          void actions.saveBudgets(own).then(isDone => {
            if (isDone) {
              props.onSaved();
            }
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
              onChange={event =>
                setOwn({ ...own, [name]: Number(event.target.value) })
              }
            />
          </label>
        ))}
        <div className="linda-Row">
          <button type="submit" className="linda-Button linda-mod-primary">
            {trans.__('Save')}
          </button>
        </div>
      </form>
    </details>
  );
}
