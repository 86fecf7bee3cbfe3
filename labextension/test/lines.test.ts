/* The difference of two texts. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { diffLines } from '../src/lines';

const shown = (before: string, after: string): string =>
  diffLines(before, after)
    .map(
      line => ({ same: ' ', added: '+', removed: '-' })[line.kind] + line.text
    )
    .join('|');

test('unchanged lines frame what changed', () => {
  assert.equal(shown('a\nb\nc', 'a\nx\nc'), ' a|-b|+x| c');
});

test('a new text is all added, an emptied one all removed', () => {
  assert.equal(shown('', 'a\nb'), '+a|+b');
  assert.equal(shown('a\nb', ''), '-a|-b');
});

test('common lines in the middle are kept', () => {
  assert.equal(shown('a\nk\nb', 'x\nk\ny'), '-a|+x| k|-b|+y');
});

test('both texts can be read back from the lines', () => {
  const before = 'a\nb\nb\nc\na';
  const after = 'b\na\nc\nc\nb';
  const lines = diffLines(before, after);
  const side = (kind: string): string =>
    lines.flatMap(line => (line.kind === kind ? [] : [line.text])).join('\n');
  assert.equal(side('added'), before);
  assert.equal(side('removed'), after);
});
