/* Slash commands: only a whole word at the beginning is one. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { slashAt, slashOf, type SlashCommand } from '../src/slash';

const known: SlashCommand[] = ['compact', 'continue', 'new'].map(name => ({
  name,
  label: name,
  act: () => undefined
}));

test('what begins with a slash and one word is the beginning of a command', () => {
  assert.equal(slashAt('/'), '');
  assert.equal(slashAt('/com'), 'com');
  assert.equal(slashAt('/com pact'), null);
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
