/* A yes that is carried out once the other questions of its step are answered. */

import React from 'react';

import { useFrame } from '../frame';
import type { Question } from '../types';
import { DiffView } from './diff';

export function HeldCard(props: { question: Question }): JSX.Element {
  const { preview } = props.question;
  const id = React.useId();
  return (
    <div
      role="group"
      className="linda-Card"
      aria-labelledby={id}
      data-held={props.question.question_id}
    >
      <h4 id={id}>{preview.sentence}</h4>
      {preview.code && (
        <pre tabIndex={0} className="linda-Card-code">
          {preview.code}
        </pre>
      )}
      {preview.diffs.map((diff, at) => (
        <DiffView key={at} diff={diff} />
      ))}
      <HeldWords />
    </div>
  );
}

export function HeldWords(): JSX.Element {
  const { trans } = useFrame();
  return (
    <span className="linda-Note" role="status">
      ✓ {trans.__('Accepted; waiting for the other answers')}
    </span>
  );
}
