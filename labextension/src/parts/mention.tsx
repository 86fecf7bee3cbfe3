/* The list under an `@`: arrows choose, Enter or Tab takes, Escape leaves it. */

import React from 'react';

import { useFrame } from '../frame';
import type { ContextItem } from '../types';
import { chipLabel } from './chips';

/** What is typed after an `@` that begins a word, up to the caret; null where there is none. */
export function mentionAt(text: string, caret: number): string | null {
  return /(?:^|\s)@([^\s@]*)$/.exec(text.slice(0, caret))?.[1] ?? null;
}

export interface MentionKeys {
  /** True when the list took the key. */
  take(event: React.KeyboardEvent): boolean;
  active: string | undefined;
  list: JSX.Element | null;
}

/** The list for a query; `pick` gets the chosen item. */
export function useMentions(
  query: string | null,
  pick: (item: ContextItem) => void,
  leave: () => void
): MentionKeys {
  const { mentions, trans } = useFrame();
  const [items, setItems] = React.useState<ContextItem[]>([]);
  const [at, setAt] = React.useState(0);
  const id = React.useId();
  React.useEffect(() => {
    let isCurrent = true;
    setAt(0);
    if (query === null) {
      setItems([]);
      return;
    }
    void mentions.find(query).then(found => {
      if (isCurrent) {
        setItems(found);
      }
    });
    return () => {
      isCurrent = false;
    };
  }, [query, mentions]);
  const isShown = query !== null && items.length > 0;
  const idOf = (index: number): string => `${id}-${index}`;
  return {
    active: isShown ? idOf(at) : undefined,
    take: event => {
      if (!isShown || event.nativeEvent.isComposing) {
        return false;
      }
      switch (event.key) {
        case 'ArrowDown':
          setAt((at + 1) % items.length);
          break;
        case 'ArrowUp':
          setAt((at + items.length - 1) % items.length);
          break;
        case 'Enter':
        case 'Tab':
          pick(items[at]);
          break;
        case 'Escape':
          leave();
          break;
        default:
          return false;
      }
      event.preventDefault();
      event.stopPropagation();
      return true;
    },
    list: isShown ? (
      <ul
        className="linda-Mentions"
        role="listbox"
        aria-label={trans.__('Things to attach')}
      >
        {items.map((item, index) => (
          <li
            key={idOf(index)}
            id={idOf(index)}
            role="option"
            aria-selected={index === at}
            /* The text area keeps the keyboard. */
            onMouseDown={event => {
              event.preventDefault();
              pick(item);
            }}
          >
            <span>{chipLabel(item, trans)}</span>
            <span className="linda-Note">{kindWord(item.kind, trans)}</span>
          </li>
        ))}
      </ul>
    ) : null
  };
}

function kindWord(
  kind: ContextItem['kind'],
  trans: ReturnType<typeof useFrame>['trans']
): string {
  return {
    notebook: trans.__('notebook'),
    cell: trans.__('cell'),
    file: trans.__('file'),
    folder: trans.__('folder'),
    selection: trans.__('selection'),
    variable: trans.__('variable'),
    frame: trans.__('data frame'),
    output: trans.__('output'),
    picture: trans.__('picture')
  }[kind];
}
