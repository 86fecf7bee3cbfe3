/* Instructions in files: a person decides about the text that they see. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Actions } from '../src/actions';
import type { Api } from '../src/api';
import { Store } from '../src/store';
import type { Stream } from '../src/stream';
import type { InstructionChoice } from '../src/types';

/** A file that is written anew after its list was read: the text is of digest "b". */
function rig(): {
  actions: Actions;
  lists: string[];
  chosen: InstructionChoice[];
} {
  const lists: string[] = [];
  const chosen: InstructionChoice[] = [];
  const api = {
    instructionFiles: () => {
      const digest = lists.length === 0 ? 'a' : 'b';
      lists.push(digest);
      return Promise.resolve({ files: [{ path: 'AGENTS.md', digest }] });
    },
    instructionText: (path: string) =>
      path === 'AGENTS.md'
        ? Promise.resolve({ path, digest: 'b', text: 'New words.' })
        : Promise.reject(new Error('gone')),
    chooseInstructions: (choice: InstructionChoice) => {
      chosen.push(choice);
      return Promise.resolve();
    }
  };
  const actions = new Actions(
    api as unknown as Api,
    new Store(),
    {} as unknown as Stream
  );
  return { actions, lists, chosen };
}

test('a text comes with its own digest, and one that the list does not know has the list read again', async () => {
  const { actions, lists } = rig();
  await actions.instructionFiles.load('', '');
  const shown = await actions.instructionText('AGENTS.md');
  assert.deepEqual([shown?.text, shown?.digest], ['New words.', 'b']);
  await new Promise(resolve => setTimeout(resolve));
  assert.deepEqual(lists, ['a', 'b']);
  assert.equal(actions.instructionFiles.files[0].digest, 'b');
  await actions.instructionText('AGENTS.md');
  assert.deepEqual(lists, ['a', 'b'], 'what the list knows is not read again');
});

test('what is decided is about the digest of the text that was shown', async () => {
  const { actions, chosen } = rig();
  await actions.instructionFiles.load('', '');
  const shown = await actions.instructionText('AGENTS.md');
  await actions.chooseInstructions(shown!, true, '');
  assert.deepEqual(chosen, [
    { path: 'AGENTS.md', digest: 'b', is_used: true, chat_id: '' }
  ]);
});

test('a text that cannot be had is none, and that is said', async () => {
  const { actions } = rig();
  assert.equal(await actions.instructionText('gone.md'), null);
});
