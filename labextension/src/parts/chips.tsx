/* What goes with the next message, each removable; and what went with a sent one. */

import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

import { useFrame } from '../frame';
import { chipKey, tokensOf } from '../attached';
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
            title={trans.__(
              '%1 (about %2 tokens)',
              item.text || item.path,
              String(tokensOf(item))
            )}
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

export function chipLabel(item: ContextItem, trans: TranslationBundle): string {
  const number = item.name.replace(/^\D+/, '');
  switch (item.kind) {
    case 'cell':
      return trans.__('cell %1', number);
    case 'selection':
      return trans.__('selection in cell %1', number);
    case 'output':
      return trans.__('output of cell %1', number);
    case 'picture':
      return trans.__('picture of cell %1', number);
    case 'command':
    case 'skill':
      return `/${item.name}`;
    case 'folder':
      return `${item.name}/`;
    default:
      return item.name || item.path;
  }
}
