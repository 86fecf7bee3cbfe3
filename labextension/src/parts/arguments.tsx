/* The exact arguments of a call: strings with line breaks stay readable. */

import React from 'react';

import { useFrame } from '../frame';
import type { Json } from '../types';

export function Arguments(props: { value: Json }): JSX.Element {
  const { trans } = useFrame();
  const value = props.value;
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    return <pre tabIndex={0}>{show(value)}</pre>;
  }
  return (
    <dl className="linda-Arguments" aria-label={trans.__('Exact arguments')}>
      {Object.entries(value).map(([name, part]) => (
        <React.Fragment key={name}>
          <dt>{name}</dt>
          <dd>
            <pre tabIndex={0}>{show(part)}</pre>
          </dd>
        </React.Fragment>
      ))}
    </dl>
  );
}

function show(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
