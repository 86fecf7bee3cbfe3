/* Old and new text, line by line. */

import React from 'react';

import { diffLines } from '../lines';
import { useFrame } from '../frame';
import type { Diff } from '../types';

const SHOWN_LINES = 400;

export function DiffView(props: { diff: Diff }): JSX.Element {
  const { trans } = useFrame();
  const { old, new: fresh, label } = props.diff;
  const lines = React.useMemo(() => diffLines(old, fresh), [old, fresh]);
  const rest = lines.length - SHOWN_LINES;
  return (
    <figure
      className="linda-Diff"
      aria-label={trans.__('Changes of %1', label)}
    >
      {label && <figcaption>{label}</figcaption>}
      <pre tabIndex={0}>
        {lines.slice(0, SHOWN_LINES).map((line, at) => (
          <span key={at} className={`linda-Diff-line linda-mod-${line.kind}`}>
            <span aria-hidden="true">{SIGNS[line.kind]} </span>
            {line.kind !== 'same' && (
              <span className="linda-sr">
                {line.kind === 'added'
                  ? trans.__('added: ')
                  : trans.__('removed: ')}
              </span>
            )}
            {line.text}
            {'\n'}
          </span>
        ))}
        {rest > 0 && trans._n('… %1 more line', '… %1 more lines', rest, rest)}
      </pre>
    </figure>
  );
}

const SIGNS = { same: ' ', added: '+', removed: '-' };
