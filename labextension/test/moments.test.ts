/* Instants in words. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { clockTime, setTimeLanguage } from '../src/moments';

const NOW = new Date('2026-11-30T12:00:00');

test('dates are written in the language of the panel', () => {
  setTimeLanguage('zh-CN');
  assert.match(clockTime('2026-12-03T11:10:00', NOW), /12月3日/);
  setTimeLanguage('en');
  assert.match(clockTime('2026-12-03T11:10:00', NOW), /Dec 3/);
});

test('a language nobody knows leaves the browser its own', () => {
  setTimeLanguage('no language');
  assert.notEqual(clockTime('2026-12-03T11:10:00', NOW), '');
});
