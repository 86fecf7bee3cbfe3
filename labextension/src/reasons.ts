/* Why something is asked, in the person's language: the server names a rule in its own words. */

import type { TranslationBundle } from '@jupyterlab/translation';

const RULE = /^ask: (\w+) in (the notebook folder|this machine)$/;
const TAINTED = 'content was read before: ';
const INSTRUCTS = 'a file of instructions always asks';
const ALWAYS = ' always asks';
/** Also where the rules could never be read. */
export const UNLISTED = 'unlisted: ask';
const UNREADABLE = 'a policy cannot be read: ask';
const NO_PROFILE = /^there is no profile (.+): ask$/;

/** One sentence; a rule that somebody wrote, or a policy's, is named as it is. */
export function reasonWords(rule: string, trans: TranslationBundle): string {
  const [, action, where] = RULE.exec(rule) ?? [];
  const place =
    where === 'this machine'
      ? trans.__('this machine')
      : trans.__('the notebook folder');
  switch (action) {
    case 'read':
      return trans.__('Your rules ask before anything in %1 is read.', place);
    case 'write':
      return trans.__(
        'Your rules ask before anything in %1 is changed.',
        place
      );
    case 'run':
      return trans.__(
        'Your rules ask before anything is run or a kernel is touched in %1.',
        place
      );
    case 'send':
      return trans.__(
        'Your rules ask before anything from %1 is sent to a model elsewhere.',
        place
      );
  }
  if (rule.startsWith(TAINTED)) {
    return trans.__(
      'Asked because what others wrote was read before: it may be behind this wish.'
    );
  }
  if (rule === INSTRUCTS) {
    return trans.__(
      'This changes a file of instructions: once you allow its text, Linda follows it in later replies. It is always asked, whatever the rules say.'
    );
  }
  if (rule.endsWith(ALWAYS)) {
    return trans.__('This is always asked, whatever the rules say.');
  }
  const [, profile] = NO_PROFILE.exec(rule) ?? [];
  if (profile) {
    return trans.__('Asked because there is no profile %1.', profile);
  }
  if (rule === UNREADABLE) {
    return trans.__('Asked because a policy of this server cannot be read.');
  }
  return rule === UNLISTED
    ? trans.__('Asked because no rule that can be read says anything of it.')
    : trans.__('Asked because of: %1', rule);
}
