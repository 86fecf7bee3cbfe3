/* Slash commands: what a message that is one of these words does. */

import type { CommandRegistry } from '@lumino/commands';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { Actions } from './actions';
import { isUndecided } from './instructions';
import type { InstructionFile } from './types';

export interface SlashCommand {
  name: string;
  label: string;
  /** Where it is from, for those in files. */
  source?: string;
  /** A message that begins with it goes to the server as it is: the server knows the file. */
  isSent?: boolean;
  act: () => unknown;
}

const ON_CELL: readonly (readonly [string, string])[] = [
  ['explain', 'linda:explain-cell'],
  ['fix', 'linda:fix-cell'],
  ['improve', 'linda:improve-cell'],
  ['document', 'linda:document-cell'],
  ['test', 'linda:test-cell']
];

/** No file takes these names; the server knows the same ones. */
const BUILT_IN = [
  ...ON_CELL.map(([name]) => name),
  'continue',
  'compact',
  'new',
  'help'
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
    },
    ...fileCommands(actions, trans)
  ];
}

/** Commands and skills in files: yours first. Those that nobody has decided about open what they are. */
function fileCommands(
  actions: Actions,
  trans: TranslationBundle
): SlashCommand[] {
  const { files } = actions.instructionFiles;
  const named = files.filter(file => file.name !== '');
  const called = named.filter(file => file.is_callable);
  const taken = new Set([...BUILT_IN, ...called.map(file => file.name)]);
  const waiting = named.filter(
    file => isUndecided(file) && !taken.has(file.name)
  );
  const isOwn = (file: InstructionFile): boolean => file.source === 'person';
  return [
    ...[...called.filter(isOwn), ...called.filter(file => !isOwn(file))].map(
      file => ({
        name: file.name,
        label: [file.hint, file.description].filter(Boolean).join(' · '),
        source: isOwn(file) ? trans.__('yours') : trans.__('project'),
        isSent: true,
        act: () =>
          file.hint
            ? actions.setDraft({ text: `/${file.name} ` })
            : actions.sendText(`/${file.name}`)
      })
    ),
    ...waiting.map(file => ({
      name: file.name,
      label: trans.__('Not used yet: look at it first'),
      source: trans.__('project'),
      isSent: true,
      act: () => actions.instructionFiles.show(true)
    }))
  ];
}

/** Do a command in place of the text that calls it; what is attached stays for the next message. */
export async function carryOut(
  command: SlashCommand,
  actions: Actions
): Promise<void> {
  actions.setDraft({ text: '', clientId: null });
  await command.act();
}

/** What is typed of a command; null where the text is no beginning of one. */
export function slashAt(text: string): string | null {
  return /^\/([a-z0-9-]*)$/.exec(text)?.[1] ?? null;
}

/** The command that a whole message is, of those the panel carries out itself. */
export function slashOf(
  text: string,
  known: readonly SlashCommand[]
): SlashCommand | undefined {
  const name = slashAt(text.trim());
  return known.find(one => one.name === name && !one.isSent);
}
