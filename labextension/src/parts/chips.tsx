/* What goes with the next message, each removable; and what went with a sent one. */

import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

import { useFrame } from '../frame';
import { chipKey } from '../store';
import type { ContextItem } from '../types';

export function Chips(props: {
  items: readonly ContextItem[];
  onRemove?: (key: string) => void;
}): JSX.Element | null {
  const { trans } = useFrame();
  if (props.items.length === 0) {
    return null;
  }
  return (
    <ul className="linda-Chips" aria-label={trans.__('Sent with the message')}>
      {props.items.map(item => {
        const label = chipLabel(item, trans);
        return (
          <li
            key={chipKey(item)}
            className="linda-Chip"
            title={item.text || item.path}
          >
            <span>{label}</span>
            {props.onRemove && (
              <button
                type="button"
                aria-label={trans.__('Remove %1', label)}
                onClick={() => props.onRemove?.(chipKey(item))}
              >
                ×
              </button>
            )}
          </li>
        );
      })}
    </ul>
  );
}

function chipLabel(item: ContextItem, trans: TranslationBundle): string {
  if (item.kind === 'cell') {
    return trans.__('cell %1', item.name);
  }
  if (item.kind === 'selection') {
    return trans.__('selection in cell %1', item.name);
  }
  return item.name || item.path;
}
