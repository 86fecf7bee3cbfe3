/* Slash commands: what a message that is one of these words does. */

import type { CommandRegistry } from '@lumino/commands';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { Actions } from './actions';

export interface SlashCommand {
  name: string;
  label: string;
  act: () => unknown;
}

const ON_CELL: readonly (readonly [string, string])[] = [
  ['explain', 'linda:explain-cell'],
  ['fix', 'linda:fix-cell'],
  ['improve', 'linda:improve-cell'],
  ['document', 'linda:document-cell'],
  ['test', 'linda:test-cell']
];

/** What can be done now; commands on a cell only where there is one that they fit. */
export function slashCommands(
  actions: Actions,
  commands: CommandRegistry,
  trans: TranslationBundle
): SlashCommand[] {
  const onCell = ON_CELL.filter(
    ([, id]) => commands.hasCommand(id) && commands.isEnabled(id)
  );
  return [
    ...onCell.map(([name, id]) => ({
      name,
      label: commands.label(id),
      act: () => commands.execute(id)
    })),
    {
      name: 'continue',
      label: trans.__('Continue'),
      act: () => actions.sendText(trans.__('Continue where you stopped.'))
    },
    {
      name: 'compact',
      label: trans.__('Condense older messages'),
      act: () => actions.condense()
    },
    {
      name: 'new',
      label: trans.__('New chat'),
      act: () => actions.startChat()
    },
    {
      name: 'help',
      label: trans.__('What Linda can do here'),
      act: () => actions.sendText(trans.__('What can you do here?'))
    }
  ];
}

/** What is typed of a command; null where the text is no beginning of one. */
export function slashAt(text: string): string | null {
  return /^\/([a-z]*)$/.exec(text)?.[1] ?? null;
}

/** The command that a whole message is. */
export function slashOf(
  text: string,
  known: readonly SlashCommand[]
): SlashCommand | undefined {
  const name = slashAt(text.trim());
  return known.find(one => one.name === name);
}
