/* The line that says why a model is asked again, and when. */

import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

import { useFrame } from '../frame';
import { secondsLeft, type Waiting } from '../waiting';

const TICK_MS = 500;

export function WaitLine(props: { wait: Waiting }): JSX.Element {
  const { trans } = useFrame();
  const { wait } = props;
  const [now, setNow] = React.useState(() => Date.now());
  React.useEffect(() => {
    setNow(Date.now());
    const timer = window.setInterval(() => setNow(Date.now()), TICK_MS);
    return () => window.clearInterval(timer);
  }, [wait]);
  return (
    <p className="linda-RunLine linda-WaitLine" title={wait.message}>
      {/* Read out once; the seconds are for the eye. */}
      <span className="linda-sr" role="status">
        {causeOf(wait, trans)}
      </span>
      <span aria-hidden="true">{wordsOf(wait, now, trans)}</span>
    </p>
  );
}

function wordsOf(wait: Waiting, now: number, trans: TranslationBundle): string {
  const cause = causeOf(wait, trans);
  if (wait.next_model !== wait.model) {
    return trans.__('%1; %2 is asked instead', cause, wait.next_model);
  }
  const seconds = secondsLeft(wait, now);
  return seconds > 0
    ? trans.__('%1; next try in %2 s', cause, seconds)
    : trans.__('%1; trying again', cause);
}

function causeOf(wait: Waiting, trans: TranslationBundle): string {
  switch (wait.kind) {
    case 'rate_limit':
      return trans.__('The provider asks to wait');
    case 'overloaded':
      return trans.__('The provider is overloaded');
    case 'server':
      return trans.__('The provider failed');
    case 'timeout':
      return trans.__('The provider did not answer in time');
    case 'unreachable':
      return trans.__('The provider cannot be reached');
    case 'cut_stream':
      return trans.__('The connection to the provider broke off');
    case 'auth':
      return trans.__('The provider refused the key');
    case 'billing':
      return trans.__('The provider wants payment');
    case 'no_tools':
      return trans.__('This model takes no tools');
    default:
      return trans.__('%1 cannot be used now', wait.model);
  }
}
