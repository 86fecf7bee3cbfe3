/* Where this person's work may go, and a request to try without sending it. */

import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

import { useFrame, useStore } from '../frame';
import { clockTime } from '../moments';
import type { RouteTrial, RouteTrialResult } from '../types';
import { dataWord, textWord } from './levels';

export function Consents(): JSX.Element {
  const { actions, trans } = useFrame();
  const consents = useStore(state => state.leaving?.consents);
  return (
    <section aria-labelledby="linda-consents">
      <h3 id="linda-consents">{trans.__('May go to')}</h3>
      {consents?.length === 0 && (
        <p className="linda-Note">
          {trans.__(
            'Nowhere yet. Before the first message goes elsewhere you are asked.'
          )}
        </p>
      )}
      <ul className="linda-List">
        {(consents ?? []).map(one => (
          <li key={one.consent_id} className="linda-List-item">
            <div className="linda-List-text">
              <strong>{one.provider}</strong>
              <span className="linda-Note">
                {trans.__(
                  'from %1, since %2',
                  one.root_dir,
                  clockTime(one.created_at)
                )}
              </span>
            </div>
            <button
              type="button"
              className="linda-Button"
              aria-label={trans.__('Revoke: %1', one.provider)}
              onClick={() => void actions.revokeConsent(one.consent_id)}
            >
              {trans.__('Revoke')}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

export function TryRequest(): JSX.Element {
  const { actions, trans } = useFrame();
  const models = useStore(state => state.models);
  const [trial, setTrial] = React.useState<RouteTrial>({
    model: '',
    path: '',
    frame: '',
    text: ''
  });
  const [words, setWords] = React.useState<string[]>([]);
  const run = async (): Promise<void> => {
    const found = await actions.tryRequest(trial);
    setWords(
      found
        ? resultWords(found, trial, trans)
        : [trans.__('The server could not be asked.')]
    );
  };
  return (
    <section aria-labelledby="linda-try-request">
      <h3 id="linda-try-request">{trans.__('Try a request')}</h3>
      <form
        className="linda-Row"
        onSubmit={event => {
          event.preventDefault();
          void run();
        }}
      >
        <select
          className="linda-Input linda-mod-grow"
          aria-label={trans.__('Model to try')}
          value={trial.model}
          onChange={event => setTrial({ ...trial, model: event.target.value })}
        >
          <option value="">{trans.__('Default model')}</option>
          {models?.models.map(one => (
            <option key={one.model_id} value={one.model_id}>
              {one.model_id}
            </option>
          ))}
        </select>
        <input
          className="linda-Input linda-mod-grow"
          aria-label={trans.__('File or notebook it reads')}
          placeholder={trans.__('File or folder')}
          value={trial.path}
          onChange={event => setTrial({ ...trial, path: event.target.value })}
        />
        <input
          className="linda-Input linda-mod-grow"
          aria-label={trans.__('Text it holds')}
          placeholder={trans.__('Text it holds')}
          value={trial.text}
          onChange={event => setTrial({ ...trial, text: event.target.value })}
        />
        <button type="submit" className="linda-Button">
          {trans.__('Try')}
        </button>
      </form>
      <div role="status" className="linda-Trial">
        {words.map((line, at) => (
          <p key={at} className={at ? 'linda-Note' : undefined}>
            {line}
          </p>
        ))}
      </div>
    </section>
  );
}

function resultWords(
  found: RouteTrialResult,
  trial: RouteTrial,
  trans: TranslationBundle
): string[] {
  if (found.effect === 'deny') {
    return [trans.__('It would not be sent: %1', found.reason)];
  }
  if (found.is_here) {
    return [
      trans.__('%1 would answer, on this machine.', found.model),
      found.reason
    ];
  }
  const where = trans.__('%1 (%2)', found.model, found.destination);
  const lines = [
    found.effect === 'ask'
      ? trans.__('You would be asked before it goes to %1.', where)
      : trans.__('It would go to %1.', where),
    found.reason,
    trans.__(
      'Level: %1; %2',
      textWord(found.text_level, trans),
      dataWord(found.data_level, trans)
    )
  ];
  return trial.text
    ? [...lines, trans.__('The text would leave as: %1', found.redacted)]
    : lines;
}
