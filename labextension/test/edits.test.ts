/* Edits of a notebook: in order, all or none, positions that move. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { planEdits, type Edit, type SharedCells } from '../src/edits';
import { OperationError } from '../src/operations';

/** Like the shared model inside a transaction: `cells` stays, the document changes. */
class FakeNotebook implements SharedCells {
  constructor(ids: string) {
    this.cells = [...ids].map(id => this.cell(id, `source ${id}`));
    this.live = [...this.cells];
  }

  insertCell(at: number, cell: { id?: string; source: string }): void {
    this.live.splice(at, 0, this.cell(cell.id ?? '?', cell.source));
  }

  deleteCell(at: number): void {
    this.live.splice(at, 1);
  }

  apply(edits: Edit[]): string {
    planEdits(this, edits).forEach(step => step());
    return this.live.map(cell => cell.id).join('');
  }

  readonly cells;
  readonly live;

  private cell(id: string, text: string) {
    let source = text;
    return {
      id,
      getSource: () => source,
      setSource: (fresh: string) => {
        source = fresh;
      }
    };
  }
}

const insert = (index: number, cell_id: string): Edit => ({
  op: 'insert',
  index,
  cell_id,
  cell_type: 'code',
  source: ''
});
const drop = (cell_id: string): Edit => ({
  op: 'delete',
  cell_id,
  expect: `source ${cell_id}`
});
const refused = (notebook: FakeNotebook, edits: Edit[], kind: string): void => {
  assert.throws(
    () => notebook.apply(edits),
    (error: unknown) => error instanceof OperationError && error.kind === kind
  );
  assert.equal(notebook.live.map(cell => cell.id).join(''), 'abc');
};

test('a deletion after an insertion hits the cell it names', () => {
  assert.equal(
    new FakeNotebook('abcd').apply([insert(1, 'x'), drop('c')]),
    'axbd'
  );
});

test('insertions count the cells as they are at that point', () => {
  const edits = [insert(0, 'x'), insert(1, 'y'), drop('a'), insert(99, 'z')];
  assert.equal(new FakeNotebook('abc').apply(edits), 'xybcz');
});

test('a replacement keeps its cell, wherever it has moved', () => {
  const notebook = new FakeNotebook('abc');
  notebook.apply([
    drop('a'),
    { op: 'replace', cell_id: 'c', expect: 'source c', source: 'new' }
  ]);
  assert.equal(notebook.live[1].getSource(), 'new');
});

test('one stale source stops all of them', () => {
  const stale: Edit = { op: 'delete', cell_id: 'b', expect: 'other' };
  refused(
    new FakeNotebook('abc'),
    [insert(0, 'x'), drop('a'), stale],
    'StaleRevision'
  );
});

test('unknown, doubled and already deleted cells are refused', () => {
  refused(new FakeNotebook('abc'), [drop('x')], 'NotFound');
  refused(new FakeNotebook('abc'), [drop('a'), drop('a')], 'NotFound');
  refused(new FakeNotebook('abc'), [insert(0, 'b')], 'AmbiguousCell');
  assert.throws(() => new FakeNotebook('aab').apply([drop('a')]), /2 cells/);
});
