/* Edits of a notebook: in order, all or none, positions that move. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { planEdits, type Edit, type SharedCells } from '../src/edits';
import { OperationError } from '../src/operations';

/** What each change of a source took out and put in. */
const replaced: [string, string][] = [];

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
    /* As in the shared model: what is deleted has forgotten its id. */
    this.live.splice(at, 1).forEach(cell => Object.assign(cell, { id: '' }));
  }

  moveCell(from: number, to: number): void {
    this.live.splice(to, 0, ...this.live.splice(from, 1));
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
      cell_type: 'code',
      metadata: {} as { [key: string]: unknown },
      setMetadata(key: string, value: unknown) {
        this.metadata[key] = value;
      },
      deleteMetadata(key: string) {
        delete this.metadata[key];
      },
      toJSON: () => ({ metadata: { kept: true } }),
      outputs: [] as unknown[],
      setOutputs(outputs: unknown[]) {
        this.outputs = outputs;
      },
      execution_count: 3 as number | null,
      getSource: () => source,
      updateSource: (start: number, end: number, value = '') => {
        replaced.push([source.slice(start, end), value]);
        source = source.slice(0, start) + value + source.slice(end);
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
  const edits = [insert(0, 'x'), insert(1, 'y'), drop('a'), insert(1e9, 'z')];
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

test('a move counts the cells that are left', () => {
  const move = (cell_id: string, index: number): Edit => ({
    op: 'move',
    cell_id,
    index
  });
  assert.equal(new FakeNotebook('abcd').apply([move('a', 2)]), 'bcad');
  assert.equal(
    new FakeNotebook('abcd').apply([move('d', 0), move('a', 1e9)]),
    'dbca'
  );
  refused(new FakeNotebook('abc'), [move('a', 2), drop('a')], 'NotFound');
  refused(new FakeNotebook('abc'), [move('a', 3)], 'InvalidInput');
  refused(new FakeNotebook('abc'), [insert(4, 'x')], 'InvalidInput');
});

test('another type is another cell with the same id in the same place', () => {
  const change: Edit = {
    op: 'change_type',
    cell_id: 'b',
    expect: 'source b',
    cell_type: 'markdown'
  };
  assert.equal(new FakeNotebook('abc').apply([change]), 'abc');
  refused(
    new FakeNotebook('abc'),
    [{ ...change, expect: 'other' }],
    'StaleRevision'
  );
});

test('outputs are cleared, and put back', () => {
  const notebook = new FakeNotebook('a');
  const outputs = [{ output_type: 'stream', name: 'stdout', text: 'x' }];
  notebook.apply([{ op: 'outputs', cell_id: 'a' }]);
  assert.deepEqual(
    [notebook.live[0].outputs, notebook.live[0].execution_count],
    [[], null]
  );
  notebook.apply([
    { op: 'outputs', cell_id: 'a', outputs, execution_count: 7 }
  ]);
  assert.deepEqual(
    [notebook.live[0].outputs, notebook.live[0].execution_count],
    [outputs, 7]
  );
});

test('a replacement says who wrote it, and takes it back', () => {
  const notebook = new FakeNotebook('a');
  const edit = (expect: string, source: string, mark: object): Edit =>
    ({ op: 'replace', cell_id: 'a', expect, source, mark }) as Edit;
  notebook.apply([edit('source a', 'new', { run: 'run_1' })]);
  assert.deepEqual(notebook.live[0].metadata, { linda: { run: 'run_1' } });
  notebook.apply([edit('new', 'source a', {})]);
  assert.deepEqual(notebook.live[0].metadata, {});
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

for (const [old, fresh, out, into] of [
  ['n = 0\n\ntyped', 'n  = 0\n\ntyped', '', ' '],
  ['abc', 'abc', '', ''],
  ['aaa', 'aa', 'a', ''],
  ['', 'new', '', 'new'],
  ['gone', '', 'gone', ''],
  ['x 😀 y', 'x 😁 y', '😀', '😁'],
  ['😀', '😀😀', '', '😀'],
  ['a\ud83d\ude00', 'a\ud83e\ude00', '\ud83d\ude00', '\ud83e\ude00']
]) {
  test(`only what differs is replaced: ${JSON.stringify([old, fresh])}`, () => {
    const notebook = new FakeNotebook('a');
    notebook.cells[0].updateSource(0, 100, old);
    replaced.length = 0;
    notebook.apply([
      { op: 'replace', cell_id: 'a', expect: old, source: fresh }
    ]);
    assert.equal(notebook.live[0].getSource(), fresh);
    assert.deepEqual(replaced, old === fresh ? [] : [[out, into]]);
  });
}
