/* A fault in words: what happened, and what to do next. */

import React from 'react';

import { useFrame } from '../frame';
import type { Problem } from '../types';

export function ProblemNote(props: {
  problem: Problem;
  children?: React.ReactNode;
}): JSX.Element {
  return (
    <div className="linda-Problem" role="alert">
      <p>
        <strong>{props.problem.message}</strong>
      </p>
      {props.problem.remedy && <p>{props.problem.remedy}</p>}
      <SaidByProvider detail={props.problem.detail} />
      {props.children && <div className="linda-Row">{props.children}</div>}
    </div>
  );
}

/** What a provider said itself, beside our words for it. */
export function SaidByProvider(props: { detail?: string }): JSX.Element | null {
  const { trans } = useFrame();
  return props.detail ? (
    <p className="linda-Note">
      {trans.__('The provider said: %1', props.detail)}
    </p>
  ) : null;
}
