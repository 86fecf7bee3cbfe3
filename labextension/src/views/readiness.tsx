/* What works, what is missing, and how to mend it. */

import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

import { useFrame, useStore } from '../frame';
import type { Check } from '../types';

const SIGNS: Record<Check['state'], string> = {
  ok: '✓',
  warning: '!',
  error: '✕',
  skipped: '–'
};

export default function ReadinessView(): JSX.Element {
  const { actions, trans } = useFrame();
  const checks = useStore(state => state.checks);
  const isChecking = useStore(state => state.isChecking);
  const status = useStore(state => state.status);
  return (
    <div className="linda-View">
      <div className="linda-Scroll linda-Page">
        <h3>{trans.__('Readiness')}</h3>
        {status && (
          <p className="linda-Note">
            {trans.__(
              'Linda %1 on %2',
              status.version,
              status.root_name || 'Jupyter'
            )}
          </p>
        )}
        <ul
          className="linda-Checks"
          aria-label={trans.__('Checks')}
          aria-busy={isChecking}
        >
          {(checks ?? []).map(check => (
            <li
              key={check.name}
              className={`linda-Check linda-mod-${check.state}`}
            >
              <span className="linda-Check-sign" aria-hidden="true">
                {SIGNS[check.state]}
              </span>
              <div>
                <strong>{check.title}</strong>{' '}
                <span className="linda-sr">
                  {stateWord(check.state, trans)}
                </span>
                <p>{check.detail}</p>
                {check.remedy && (
                  <p className="linda-Check-remedy">{check.remedy}</p>
                )}
              </div>
            </li>
          ))}
        </ul>
        <div className="linda-Row">
          <button
            type="button"
            className="linda-Button linda-mod-primary"
            disabled={isChecking}
            onClick={() => void actions.checkReadiness(true)}
          >
            {isChecking ? trans.__('Checking…') : trans.__('Check everything')}
          </button>
          <span className="linda-Note">
            {trans.__('Starts the worker, and asks what it can do.')}
          </span>
        </div>
      </div>
    </div>
  );
}

function stateWord(state: Check['state'], trans: TranslationBundle): string {
  return {
    ok: trans.__('works'),
    warning: trans.__('needs a look'),
    error: trans.__('does not work'),
    skipped: trans.__('not checked')
  }[state];
}
