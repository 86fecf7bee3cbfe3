/* A fault in words: what happened, and what to do next. */

import React from 'react';

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
      {props.children && <div className="linda-Row">{props.children}</div>}
    </div>
  );
}
