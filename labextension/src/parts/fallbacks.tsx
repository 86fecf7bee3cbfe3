/* Which models are asked, in this order, when one cannot answer. */

import React from 'react';

import { useFrame, useStore } from '../frame';
import { isReal, nameInList } from '../models';

export function Fallbacks(): JSX.Element {
  const { actions, trans } = useFrame();
  const models = useStore(state => state.models);
  const chosen = models?.fallbacks ?? [];
  const offered = (models?.models ?? []).filter(
    model => isReal(model) && !chosen.includes(model.model_id)
  );
  const labelOf = (id: string): string => {
    const known = models?.models.find(model => model.model_id === id);
    return known ? nameInList(known, trans) : id;
  };
  return (
    <section aria-labelledby="linda-fallbacks">
      <h3 id="linda-fallbacks">{trans.__('When it cannot answer')}</h3>
      <p className="linda-Note">
        {chosen.length > 0
          ? trans.__(
              'These are asked in this order, where they may be; never one elsewhere in place of one on this machine.'
            )
          : trans.__('No other model is asked.')}
      </p>
      <ol className="linda-List" aria-labelledby="linda-fallbacks">
        {chosen.map((id, at) => (
          <li key={id} className="linda-List-item">
            <span className="linda-List-text">{labelOf(id)}</span>
            {at > 0 && (
              <button
                type="button"
                className="linda-Link"
                aria-label={trans.__('Ask %1 earlier', labelOf(id))}
                onClick={() => void actions.setFallbacks(raised(chosen, at))}
              >
                {trans.__('Earlier')}
              </button>
            )}
            <button
              type="button"
              className="linda-Link"
              aria-label={trans.__('Do not ask %1', labelOf(id))}
              onClick={() =>
                void actions.setFallbacks(chosen.filter(one => one !== id))
              }
            >
              {trans.__('Remove')}
            </button>
          </li>
        ))}
      </ol>
      {offered.length > 0 && (
        <select
          className="linda-Input"
          aria-label={trans.__('Another model to ask')}
          value=""
          onChange={event =>
            void actions.setFallbacks([...chosen, event.target.value])
          }
        >
          <option value="">{trans.__('Add a model…')}</option>
          {offered.map(model => (
            <option key={model.model_id} value={model.model_id}>
              {nameInList(model, trans)}
            </option>
          ))}
        </select>
      )}
    </section>
  );
}

/** The list with the item at `at` (from 1) one place earlier. */
function raised(list: readonly string[], at: number): string[] {
  return [
    ...list.slice(0, at - 1),
    list[at],
    list[at - 1],
    ...list.slice(at + 1)
  ];
}
