/* Slash commands: only a whole word at the beginning is one. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { CommandRegistry } from '@lumino/commands';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { Actions } from '../src/actions';
import {
  slashAt,
  slashCommands,
  slashOf,
  type SlashCommand
} from '../src/slash';
import type { InstructionFile } from '../src/types';

const known: SlashCommand[] = ['compact', 'continue', 'new'].map(name => ({
  name,
  label: name,
  act: () => undefined
}));

test('what begins with a slash and one word is the beginning of a command', () => {
  assert.equal(slashAt('/'), '');
  assert.equal(slashAt('/com'), 'com');
  assert.equal(slashAt('/com pact'), null);
  assert.equal(slashAt('/pdf-2'), 'pdf-2');
  assert.equal(slashAt('/usr/bin'), null);
  assert.equal(slashAt('see /com'), null);
});

test('a message is a command only as a whole', () => {
  assert.equal(slashOf('/compact', known)?.name, 'compact');
  assert.equal(slashOf(' /new\n', known)?.name, 'new');
  assert.equal(slashOf('/comp', known), undefined);
  assert.equal(slashOf('/compact now', known), undefined);
  assert.equal(slashOf('compact', known), undefined);
});

function file(name: string, change: Partial<InstructionFile>): InstructionFile {
  return {
    kind: 'command',
    source: 'workspace',
    path: `.linda/commands/${name}.md`,
    digest: 'd',
    name,
    description: `Do ${name}`,
    hint: '',
    tokens: 1,
    state: 'used',
    fault: '',
    is_callable: true,
    ...change
  };
}

/** What the menu lists behind the built-in words, and what each did when it was picked. */
function listed(files: InstructionFile[]): [SlashCommand[], string[]] {
  const done: string[] = [];
  const actions = {
    instructionFiles: { files, show: () => done.push('show') },
    setDraft: ({ text }: { text: string }) => done.push(`draft ${text}`),
    sendText: (text: string) => done.push(`send ${text}`)
  } as unknown as Actions;
  const commands = { hasCommand: () => false } as unknown as CommandRegistry;
  const trans = { __: (text: string) => text } as unknown as TranslationBundle;
  const found = slashCommands(actions, commands, trans);
  return [found.filter(one => one.source), done];
}

test('commands in files stand behind the built-in ones, yours first', () => {
  const [found, done] = listed([
    file('review', { hint: '[file]' }),
    file('mine', { source: 'person' }),
    file('off', { state: 'off', is_callable: false }),
    file('later', { state: 'new', is_callable: false }),
    file('fix', { state: 'new', is_callable: false }),
    file('mine', { state: 'new', is_callable: false })
  ]);
  assert.deepEqual(
    found.map(one => [one.name, one.source]),
    [
      ['mine', 'yours'],
      ['review', 'project'],
      ['later', 'project']
    ]
  );
  found.forEach(one => one.act());
  assert.deepEqual(done, ['send /mine', 'draft /review ', 'show']);
  assert.equal(slashOf('/review', found), undefined);
});
