/* What is shown at cells: a yes that waits for the other answers of its step stays there. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { logFrom } from '../src/reduce';
import { isHeld, stagedIn } from '../src/staged';
import { START, type State } from '../src/store';
import type { Call, CallState, JournalEntry, Question } from '../src/types';
import { CHAT_ID, call, question, view } from './events';

const edit = (id: string, change: Partial<Question>): Question =>
  question({
    question_id: `q-${id}`,
    call_id: id,
    tool: 'edit_cell',
    arguments: { path: 'a.ipynb', cell_id: `cell-${id}` },
    ...change
  });

function shown(
  answer: string | null,
  other: Partial<Question>,
  state: CallState = 'asked'
): [string, boolean][] {
  const first = edit('a', answer ? { state: 'answered', answer } : {});
  const second = edit('b', other);
  const log = logFrom({
    ...view(),
    calls: [call({ call_id: 'a', state }), call({ call_id: 'b', state })],
    questions: [first, second]
  });
  const whole: State = {
    ...START,
    logs: { [CHAT_ID]: log },
    questions: [first, second].filter(one => one.state === 'open')
  };
  assert.equal(
    isHeld(log, first),
    stagedIn(whole).some(one => one.isHeld && one.key === 'q-a')
  );
  return stagedIn(whole).map(one => [one.cellId, one.isHeld]);
}

test('what was accepted stays at its cell until the others of its step are answered', () => {
  assert.deepEqual(shown(null, {}), [
    ['cell-a', false],
    ['cell-b', false]
  ]);
  for (const answer of ['once', 'always']) {
    assert.deepEqual(shown(answer, {}), [
      ['cell-b', false],
      ['cell-a', true]
    ]);
  }
});

test('what was refused, is being done, or waits for nobody is not shown as waiting', () => {
  assert.deepEqual(shown('no', {}), [['cell-b', false]]);
  assert.deepEqual(shown('once', {}, 'begun'), [['cell-b', false]]);
  assert.deepEqual(shown('once', { state: 'answered', answer: 'once' }), []);
  assert.deepEqual(shown('once', { run_id: 'another' }), [['cell-b', false]]);
});

test('changes of one cell that follow each other are shown as one, until somebody wrote in between', () => {
  const change = (id: string, name: string, old: string, text: string): Call =>
    call({
      call_id: id,
      name,
      state: 'done',
      arguments: { path: 'a.ipynb', cell_id: 'c' },
      result: 'Inserted a code cell: id=c version=1.',
      diffs: [{ label: '', old, new: text }]
    });
  const entry = (id: string): JournalEntry => ({
    entry_id: `j-${id}`,
    chat_id: CHAT_ID,
    run_id: 'run',
    call_id: id,
    kind: 'cells',
    path: 'a.ipynb',
    title: null,
    state: 'done',
    words: '',
    at: '',
    undone_at: null
  });
  const ids = ['1', '2', '3', '4', '5'];
  const log = logFrom({
    ...view(),
    calls: [
      change('1', 'insert_cell', '', 'a'),
      change('2', 'edit_cell', 'a', 'ab'),
      change('3', 'edit_cell', 'abc', 'x'),
      change('4', 'change_cell_type', 'x', 'x'),
      change('5', 'edit_cell', 'x', 'y')
    ],
    journal: ids.map(entry)
  });
  const shownNow = (lookedOver: string[]): [string, string, number][] =>
    stagedIn({
      ...START,
      fresh: ids,
      lookedOver,
      logs: { [CHAT_ID]: log }
    }).map(one => [one.diffs[0].old, one.diffs[0].new, one.calls.length]);
  assert.deepEqual(shownNow([]), [
    ['', 'ab', 2],
    ['abc', 'x', 1],
    ['x', 'x', 1],
    ['x', 'y', 1]
  ]);
  assert.deepEqual(shownNow(['1', '3']), [
    ['a', 'ab', 1],
    ['x', 'x', 1],
    ['x', 'y', 1]
  ]);
});
