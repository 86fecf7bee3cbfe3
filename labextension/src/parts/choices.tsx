/* A list under the box: arrows choose, Enter or Tab takes, Escape leaves it. */

import React from 'react';

export interface Choices {
  /** True when the list took the key. */
  take(event: React.KeyboardEvent): boolean;
  active: string | undefined;
  list: JSX.Element | null;
}

/** A list of items, shown while there are some; `pick` gets the chosen one. */
export function useChoices<T>(options: {
  items: readonly T[];
  label: string;
  /** Back to the first item when it changes. */
  query: string | null;
  row: (item: T) => React.ReactNode;
  pick: (item: T) => void;
  leave: () => void;
}): Choices {
  const { items, pick } = options;
  const [at, setAt] = React.useState(0);
  const id = React.useId();
  React.useEffect(() => setAt(0), [options.query]);
  const isShown = options.query !== null && items.length > 0;
  const here = Math.min(at, items.length - 1);
  const idOf = (index: number): string => `${id}-${index}`;
  return {
    active: isShown ? idOf(here) : undefined,
    take: event => {
      if (!isShown || event.nativeEvent.isComposing) {
        return false;
      }
      switch (event.key) {
        case 'ArrowDown':
          setAt((here + 1) % items.length);
          break;
        case 'ArrowUp':
          setAt((here + items.length - 1) % items.length);
          break;
        case 'Enter':
        case 'Tab':
          pick(items[here]);
          break;
        case 'Escape':
          options.leave();
          break;
        default:
          return false;
      }
      event.preventDefault();
      event.stopPropagation();
      return true;
    },
    list: isShown ? (
      <ul className="linda-Mentions" role="listbox" aria-label={options.label}>
        {items.map((item, index) => (
          <li
            key={idOf(index)}
            id={idOf(index)}
            role="option"
            aria-selected={index === here}
            /* The text area keeps the keyboard. */
            onMouseDown={event => {
              event.preventDefault();
              pick(item);
            }}
          >
            {options.row(item)}
          </li>
        ))}
      </ul>
    ) : null
  };
}
