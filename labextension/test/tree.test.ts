/* What `@` finds: the tree of files, how well names fit, and a share for every kind. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { FileTree, fairly, fitOf, type Entry } from '../src/tree';

const FOLDERS: Record<string, Entry[]> = {
  '': [
    { path: 'data', type: 'directory' },
    { path: '.git', type: 'directory' },
    { path: 'node_modules', type: 'directory' },
    { path: 'closed', type: 'directory' },
    { path: 'a.ipynb', type: 'notebook' }
  ],
  data: [
    { path: 'data/sales.csv', type: 'file' },
    { path: 'data/old', type: 'directory' }
  ],
  'data/old': [{ path: 'data/old/2019.csv', type: 'file' }]
};

test('files of all folders are found, of hidden and installed ones none', async () => {
  const asked: string[] = [];
  let time = 0;
  const list = (folder: string): Promise<Entry[]> => {
    asked.push(folder);
    const found = FOLDERS[folder];
    return found ? Promise.resolve(found) : Promise.reject(new Error('no'));
  };
  const tree = new FileTree(list, () => time);
  const paths = (await tree.entries()).map(({ path }) => path);
  assert.deepEqual(paths, [
    'data',
    'closed',
    'a.ipynb',
    'data/sales.csv',
    'data/old',
    'data/old/2019.csv'
  ]);
  assert.deepEqual(asked, ['', 'data', 'closed', 'data/old']);
  await tree.entries();
  assert.equal(asked.length, 4, 'kept while somebody types');
  time = 60_000;
  await tree.entries();
  assert.equal(asked.length, 8);
});

test('a tree without end, or a slow one, is looked at for a while only', async () => {
  let count = 0;
  const deep = (folder: string): Promise<Entry[]> => {
    count++;
    const below = (name: string): Entry => ({
      path: `${folder}/${name}`,
      type: 'directory'
    });
    return Promise.resolve([below('x'), below('y')]);
  };
  await new FileTree(deep, () => 0).entries();
  assert.equal(count, 120);
  count = 0;
  let time = 0;
  await new FileTree(deep, () => (time += 1_500)).entries();
  assert.ok(count < 10, String(count));
});

test('a name fits by its beginning, by that of its last part, by any part', () => {
  assert.equal(fitOf('data/sales.csv', 'Sales'), 0);
  assert.equal(fitOf('data/sales.csv', 'data/s'), 0);
  assert.equal(fitOf('data/sales.csv', 'a/sal'), 1);
  assert.equal(fitOf('data/sales.csv', 'costs'), 2);
  assert.equal(fitOf('anything', ''), 0);
});

test('no kind crowds the others out, and what one leaves the others get', () => {
  const many = (kind: string, count: number): string[] =>
    Array.from({ length: count }, (_, at) => `${kind}${at}`);
  const same = (): number => 0;
  const groups = [many('cell', 30), many('name', 1), many('file', 30)];
  const found = fairly(groups, same, 12);
  assert.equal(found.length, 12);
  assert.deepEqual(found.slice(0, 2), ['cell0', 'cell1']);
  const count = (kind: string): number =>
    found.filter(one => one.startsWith(kind)).length;
  assert.deepEqual(['cell', 'name', 'file'].map(count), [6, 1, 5]);
  const last = (one: string): number => (one === 'file29' ? 0 : 1);
  assert.equal(fairly(groups, last, 12)[0], 'file29');
  assert.deepEqual(fairly([[], []], same, 12), []);
});
