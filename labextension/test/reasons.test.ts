/* Why something is asked, in words. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { TranslationBundle } from '@jupyterlab/translation';

import { reasonWords } from '../src/reasons';

const words = (text: string, ...values: unknown[]): string =>
  values.reduce<string>(
    (made, value, at) => made.replace(`%${at + 1}`, String(value)),
    text
  );
const trans = { __: words } as unknown as TranslationBundle;

for (const [rule, said] of [
  [
    'a file of instructions always asks',
    'This changes a file of instructions: once you allow its text, Linda follows it in later replies. It is always asked, whatever the rules say.'
  ],
  [
    'ask: run in the notebook folder',
    'Your rules ask before anything is run or a kernel is touched in the notebook folder.'
  ],
  [
    'ask: write in this machine',
    'Your rules ask before anything in this machine is changed.'
  ],
  [
    'ask: read in the notebook folder',
    'Your rules ask before anything in the notebook folder is read.'
  ],
  [
    'ask: send in the notebook folder',
    'Your rules ask before anything from the notebook folder is sent to a model elsewhere.'
  ],
  [
    'content was read before: Read a.ipynb, 8 cells',
    'Asked because what others wrote was read before: it may be behind this wish.'
  ],
  ['run_shell always asks', 'This is always asked, whatever the rules say.'],
  [
    'unlisted: ask',
    'Asked because no rule that can be read says anything of it.'
  ],
  [
    'a policy cannot be read: ask',
    'Asked because a policy of this server cannot be read.'
  ],
  [
    "there is no profile 'gone': ask",
    "Asked because there is no profile 'gone'."
  ],
  [
    'ask: write in data, over 3 MB',
    'Asked because of: ask: write in data, over 3 MB'
  ],
  [
    'ask: write in the notebook folder, over 3 MB',
    'Asked because of: ask: write in the notebook folder, over 3 MB'
  ],
  [
    'policy /etc/p.json: ask: run in the notebook folder',
    'Asked because of: policy /etc/p.json: ask: run in the notebook folder'
  ]
]) {
  test(rule, () => assert.equal(reasonWords(rule, trans), said));
}
