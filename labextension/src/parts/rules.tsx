/* The rules file in the panel: a text whose faults are shown at once, with their lines; policies beside it. */

import React from 'react';

import { useFrame, useStore } from '../frame';
import type { RulesFault } from '../types';
import { Newer } from './newer';
import { ProblemNote } from './problem';

const TYPING_MS = 300;

export function Rules(props: {
  text: string | null;
  setText: (text: string | null) => void;
}): JSX.Element {
  const { actions, trans } = useFrame();
  const rules = useStore(state => state.rules);
  const [isSaved, setSaved] = React.useState(false);
  const area = React.useRef<HTMLTextAreaElement>(null);
  const { text, setText } = props;
  /* The rules that the text was made from: others may be saved while it is written. */
  const [base, setBase] = React.useState<string | null>(null);
  const faults = useFaults(text);
  if (!rules) {
    return <></>;
  }
  const shown = text ?? rules.text;
  return (
    <section aria-labelledby="linda-rules">
      <h3 id="linda-rules">{trans.__('Rules')}</h3>
      <p className="linda-Note">{rules.path}</p>
      {rules.problem && <ProblemNote problem={rules.problem} />}
      <textarea
        ref={area}
        className="linda-Input linda-Rules"
        rows={12}
        spellCheck={false}
        aria-label={trans.__('Rules as text')}
        aria-invalid={faults.length > 0}
        aria-describedby="linda-faults"
        value={shown}
        onChange={event => {
          setText(event.target.value);
          setBase(text === null ? rules.text : base);
          setSaved(false);
        }}
      />
      <ul id="linda-faults" className="linda-List" aria-live="polite">
        {faults.map((fault, at) => (
          <li key={at}>
            <button
              type="button"
              className="linda-Link"
              onClick={() => selectLine(area.current!, fault.line)}
            >
              {fault.line
                ? trans.__('Line %1', fault.line)
                : trans.__('The text')}
            </button>{' '}
            {fault.place && <code>{fault.place}</code>} {fault.message}{' '}
            {fault.remedy}
          </li>
        ))}
      </ul>
      {text !== null && base !== null && base !== rules.text && (
        <Newer
          words={trans.__(
            'The rules were changed elsewhere meanwhile. Saving replaces them.'
          )}
          text={rules.text}
        />
      )}
      <div className="linda-Row">
        <button
          type="button"
          className="linda-Button linda-mod-primary"
          disabled={shown === rules.text}
          onClick={() =>
            void actions.saveRules(shown).then(isDone => {
              setSaved(isDone);
              setText(isDone ? null : shown);
            })
          }
        >
          {trans.__('Save rules')}
        </button>
        <button
          type="button"
          className="linda-Button"
          disabled={shown === rules.text}
          onClick={() => setText(null)}
        >
          {trans.__('Undo changes')}
        </button>
        <span role="status">{isSaved ? trans.__('Saved') : ''}</span>
      </div>
    </section>
  );
}

/** Policies bind everybody on this machine; here they can only be read. */
export function Policies(): JSX.Element {
  const { trans } = useFrame();
  const policies = useStore(state => state.rules?.policies) ?? [];
  if (policies.length === 0) {
    return <></>;
  }
  return (
    <section aria-labelledby="linda-policies">
      <h3 id="linda-policies">{trans.__('Policies')}</h3>
      <p className="linda-Note">
        {trans.__('They hold above your rules and cannot be changed here.')}
      </p>
      {policies.map(policy => (
        <details key={policy.path}>
          <summary>{policy.path}</summary>
          {policy.problem && <ProblemNote problem={policy.problem} />}
          <pre className="linda-Card-code" tabIndex={0}>
            {policy.text}
          </pre>
        </details>
      ))}
    </section>
  );
}

/** What is wrong with a text that is not saved yet, once the typing pauses. */
function useFaults(text: string | null): RulesFault[] {
  const { actions } = useFrame();
  const [faults, setFaults] = React.useState<RulesFault[]>([]);
  React.useEffect(() => {
    if (text === null) {
      setFaults([]);
      return;
    }
    let isCurrent = true;
    const timer = window.setTimeout(async () => {
      const found = await actions.tryRules({ text });
      if (isCurrent && found) {
        setFaults(found.faults);
      }
    }, TYPING_MS);
    return () => {
      isCurrent = false;
      window.clearTimeout(timer);
    };
  }, [text]);
  return faults;
}

function selectLine(area: HTMLTextAreaElement, line: number): void {
  const lines = area.value.split('\n');
  const start = lines
    .slice(0, Math.max(0, line - 1))
    .reduce((sum, one) => sum + one.length + 1, 0);
  area.focus();
  area.setSelectionRange(start, start + (lines[line - 1] ?? '').length);
}
