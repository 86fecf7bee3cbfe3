/* What is shown at cells: a yes that waits for the other answers of its step stays there. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { logFrom } from '../src/reduce';
import { isHeld, stagedIn } from '../src/staged';
import { START, type State } from '../src/store';
import type { CallState, Question } from '../src/types';
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
