/* Commands of the palette and of other extensions; the views call the same actions. */

import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { ICommandPalette } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { Actions } from './actions';
import type { Store } from './store';
import { Commands, lindaIcon } from './tokens';

export function addCommands(options: {
  app: JupyterFrontEnd;
  actions: Actions;
  store: Store;
  /** Read at each use: the language may change. */
  words: () => TranslationBundle;
  palette: ICommandPalette | null;
  reveal: () => void;
}): void {
  const { app, actions, store, words, palette, reveal } = options;
  const add = (
    id: string,
    label: (trans: TranslationBundle) => string,
    act: () => unknown,
    isEnabled: () => boolean = () => true
  ): void => {
    app.commands.addCommand(id, {
      label: () => label(words()),
      icon: id === Commands.open ? lindaIcon : undefined,
      isEnabled,
      describedBy: { args: { type: 'object', properties: {} } },
      execute: async () => {
        await act();
      }
    });
    palette?.addItem({ command: id, category: words().__('Linda') });
  };
  const shown = (act: () => unknown) => async (): Promise<void> => {
    reveal();
    await act();
  };

  add(Commands.open, trans => trans.__('Open Linda'), reveal);
  add(
    Commands.newChat,
    trans => trans.__('New chat with Linda'),
    shown(() => actions.startChat())
  );
  add(
    Commands.stop,
    trans => trans.__('Stop Linda in this chat'),
    () => actions.stop(store.state.current ?? ''),
    () => store.state.current !== null
  );
  add(
    Commands.condense,
    trans => trans.__('Condense older messages of this chat'),
    shown(() => actions.condense()),
    () => store.state.current !== null
  );
  add(
    Commands.questions,
    trans => trans.__('Questions that wait for you'),
    shown(() => actions.show('questions'))
  );
  add(
    Commands.permissions,
    trans => trans.__('What Linda may do'),
    shown(() => actions.show('permissions'))
  );
  add(
    Commands.settings,
    trans => trans.__('Models and providers of Linda'),
    shown(() => actions.show('settings'))
  );
  add(
    Commands.readiness,
    trans => trans.__('Check that Linda is ready'),
    shown(() => actions.show('readiness'))
  );
}
