/* "What would happen if": a call that nobody makes, tried against the rules, saved or only typed. */

import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

import { useFrame, useStore } from '../frame';
import { UNLISTED, reasonWords } from '../reasons';
import type { Action, Outcome, Trial } from '../types';
import { Choice, actionWord } from './audit';

const ACTIONS: Action[] = ['read', 'write', 'run', 'send'];

export function TryRules(props: { text: string | null }): JSX.Element {
  const { actions, trans } = useFrame();
  const path = useStore(state => state.rules?.path) ?? '';
  const [trial, setTrial] = React.useState<Trial>({
    tool: 'write_file',
    action: 'write',
    path: ''
  });
  const [words, setWords] = React.useState<string[]>([]);
  const run = async (): Promise<void> => {
    const typed = props.text === null ? {} : { text: props.text };
    const found = await actions.tryRules({ ...trial, ...typed });
    const file = props.text === null ? path : trans.__('the rules as typed');
    if (!found) {
      setWords([trans.__('The server could not be asked.')]);
    } else if (found.outcome) {
      setWords(outcomeWords(found.outcome, file, trans));
    } else {
      setWords([trans.__('Mend the rules first.')]);
    }
  };
  return (
    <section aria-labelledby="linda-trial">
      <h3 id="linda-trial">{trans.__('What would happen if…')}</h3>
      <form
        className="linda-Row"
        onSubmit={event => {
          event.preventDefault();
          void run();
        }}
      >
        <input
          className="linda-Input linda-mod-grow"
          aria-label={trans.__('Tool to try')}
          value={trial.tool}
          onChange={event => setTrial({ ...trial, tool: event.target.value })}
        />
        <Choice
          label={trans.__('Action to try')}
          value={trial.action ?? 'read'}
          options={ACTIONS.map(one => [one, actionWord(one, trans)])}
          choose={action => setTrial({ ...trial, action: action as Action })}
        />
        <input
          className="linda-Input linda-mod-grow"
          aria-label={trans.__('Path to try')}
          placeholder={trans.__('File or folder')}
          value={trial.path}
          onChange={event => setTrial({ ...trial, path: event.target.value })}
        />
        <button type="submit" className="linda-Button" disabled={!trial.tool}>
          {trans.__('Try')}
        </button>
      </form>
      <div role="status" className="linda-Trial">
        {words.map((line, at) => (
          <p key={at} className={at ? 'linda-Note' : undefined}>
            {line}
          </p>
        ))}
      </div>
    </section>
  );
}

function outcomeWords(
  outcome: Outcome,
  file: string,
  trans: TranslationBundle
): string[] {
  const effect = {
    auto: trans.__('It would be done without a question.'),
    ask: trans.__('You would be asked.'),
    deny: trans.__('It would be refused.')
  }[outcome.effect];
  const isAsked = outcome.effect === 'ask';
  const whose = {
    rules:
      outcome.rule === UNLISTED
        ? reasonWords(outcome.rule, trans)
        : trans.__('Because of %1, in %2', outcome.rule, file),
    profile: trans.__('Because of %1, in %2', outcome.rule, file),
    policy: trans.__('Because of %1', outcome.rule),
    closed: outcome.rule,
    tool: isAsked ? reasonWords(outcome.rule, trans) : outcome.rule
  }[outcome.by];
  const lines = [effect, whose];
  if (outcome.is_hidden) {
    lines.push(trans.__('The model is not told of this tool.'));
  }
  if (outcome.may_degrade) {
    lines.push(trans.__('The nearest allowed thing would be tried instead.'));
  }
  if (isAsked && !outcome.is_firm) {
    lines.push(trans.__('What you allowed for longer may let it through.'));
  }
  return lines;
}
