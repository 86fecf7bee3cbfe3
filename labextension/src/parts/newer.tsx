/* What somebody changed elsewhere while it was edited here. */

import React from 'react';

export function Newer(props: { words: string; text: string }): JSX.Element {
  return (
    <details role="alert">
      <summary>{props.words}</summary>
      <pre className="linda-Card-code" tabIndex={0}>
        {props.text}
      </pre>
    </details>
  );
}
