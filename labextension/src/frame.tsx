/* What every view shares: the store, the actions, words and renderers, handed down by React context. */

import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { CommandRegistry } from '@lumino/commands';
import React from 'react';

import type { Actions } from './actions';
import type { Mentions } from './mentions';
import type { State, Store } from './store';

export interface Frame {
  store: Store;
  actions: Actions;
  trans: TranslationBundle;
  rendermime: IRenderMimeRegistry;
  commands: CommandRegistry;
  mentions: Mentions;
  /** Put code into the active notebook. */
  code: CodeActions;
}

/** What the buttons of a code block do; null where no notebook is open. */
export interface CodeActions {
  insertBelow(code: string): boolean;
  replaceCell(code: string): boolean;
  openDocument(path: string, cellId: string): void;
}

export const FrameContext = React.createContext<Frame | null>(null);

export function useFrame(): Frame {
  const frame = React.useContext(FrameContext);
  if (!frame) {
    throw new Error('A view outside of the panel.');
  }
  return frame;
}

/** A part of the state; renders again only when `isSame` says that part changed. */
export function useStore<T>(
  select: (state: State) => T,
  isSame: (a: T, b: T) => boolean = Object.is
): T {
  const { store } = useFrame();
  const last = React.useRef<{ value: T } | null>(null);
  const subscribe = React.useCallback(
    (listener: () => void) => {
      store.changed.connect(listener);
      return () => {
        store.changed.disconnect(listener);
      };
    },
    [store]
  );
  const read = (): T => {
    const value = select(store.state);
    if (last.current && isSame(last.current.value, value)) {
      return last.current.value;
    }
    last.current = { value };
    return value;
  };
  return React.useSyncExternalStore(subscribe, read);
}

/** Lists whose items are the same objects. */
export function sameItems<T>(a: readonly T[], b: readonly T[]): boolean {
  return a.length === b.length && a.every((item, at) => Object.is(item, b[at]));
}
