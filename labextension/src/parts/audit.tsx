/* What was decided: filters, the newest entries that fit, and all of them as a file. */

import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

import type { AuditFilter } from '../api';
import { useFrame, useStore } from '../frame';
import { clockTime } from '../moments';
import type { Action, AuditEntry } from '../types';

const ACTIONS: Action[] = ['read', 'write', 'run', 'send'];
const DECISIONS: AuditEntry['decision'][] = [
  'auto',
  'asked',
  'allowed',
  'refused',
  'denied',
  'expired',
  'done',
  'failed'
];
const TYPING_MS = 300;

export function AuditList(): JSX.Element {
  const { actions, trans } = useFrame();
  const entries = useStore(state => state.audit) ?? [];
  return (
    <section aria-labelledby="linda-audit">
      <h3 id="linda-audit">{trans.__('What was decided')}</h3>
      <Filters />
      {entries.length === 0 && (
        <p className="linda-Note" role="status">
          {trans.__('Nothing that fits.')}
        </p>
      )}
      <ul className="linda-List">
        {entries.map(entry => (
          <li key={entry.audit_id} className="linda-List-item">
            <div className="linda-List-text">
              <span>
                <strong>{decisionWord(entry.decision, trans)}</strong>{' '}
                {entry.tool} {entry.resource}
              </span>
              <span className="linda-Note">
                {clockTime(entry.at)} · {deciderWord(entry.by, trans)}
                {entry.rule && ` · ${entry.rule}`}
              </span>
            </div>
          </li>
        ))}
      </ul>
      <div className="linda-Row">
        <button
          type="button"
          className="linda-Button"
          onClick={() => void actions.exportAudit('csv')}
        >
          {trans.__('Export as CSV')}
        </button>
        <button
          type="button"
          className="linda-Button"
          onClick={() => void actions.exportAudit('jsonl')}
        >
          {trans.__('Export as JSON lines')}
        </button>
      </div>
    </section>
  );
}

function Filters(): JSX.Element {
  const { actions, trans } = useFrame();
  const filter = useStore(state => state.auditFilter);
  const chats = useStore(state => state.chats);
  const spans: [number, string][] = [
    [0, trans.__('Any time')],
    [1, trans.__('The last hour')],
    [24, trans.__('The last day')],
    [7 * 24, trans.__('The last 7 days')]
  ];
  return (
    <div className="linda-Row" role="search" aria-label={trans.__('Filters')}>
      <TypedFilter name="text" label={trans.__('Text in an entry')} />
      <TypedFilter name="tool" label={trans.__('Tool')} />
      <Choice
        label={trans.__('Action')}
        value={filter.action}
        options={[
          ['', trans.__('Any action')],
          ...ACTIONS.map((one): [string, string] => [
            one,
            actionWord(one, trans)
          ])
        ]}
        choose={value =>
          void actions.filterAudit({ action: value as AuditFilter['action'] })
        }
      />
      <Choice
        label={trans.__('Decision')}
        value={filter.decision}
        options={[
          ['', trans.__('Any decision')],
          ...DECISIONS.map((one): [string, string] => [
            one,
            decisionWord(one, trans)
          ])
        ]}
        choose={value =>
          void actions.filterAudit({
            decision: value as AuditFilter['decision']
          })
        }
      />
      <Choice
        label={trans.__('Chat')}
        value={filter.chat_id}
        options={[
          ['', trans.__('Any chat')],
          ...chats.map((chat): [string, string] => [
            chat.chat_id,
            chat.title || trans.__('New chat')
          ])
        ]}
        choose={chat_id => void actions.filterAudit({ chat_id })}
      />
      <Choice
        label={trans.__('Time')}
        value={String(filter.hours)}
        options={spans.map(([hours, words]) => [String(hours), words])}
        choose={hours => void actions.filterAudit({ hours: Number(hours) })}
      />
    </div>
  );
}

/** A filter that is typed: it takes effect when the typing pauses. */
function TypedFilter(props: {
  name: 'text' | 'tool';
  label: string;
}): JSX.Element {
  const { actions } = useFrame();
  const known = useStore(state => state.auditFilter[props.name]);
  const [value, setValue] = React.useState(known);
  React.useEffect(() => {
    if (value === known) {
      return;
    }
    const timer = window.setTimeout(
      () => void actions.filterAudit({ [props.name]: value.trim() }),
      TYPING_MS
    );
    return () => window.clearTimeout(timer);
  }, [value]);
  return (
    <input
      type="search"
      className="linda-Input linda-mod-grow"
      aria-label={props.label}
      placeholder={props.label}
      value={value}
      onChange={event => setValue(event.target.value)}
    />
  );
}

export function Choice(props: {
  label: string;
  value: string;
  options: [string, string][];
  choose: (value: string) => void;
}): JSX.Element {
  return (
    <select
      className="linda-Input linda-mod-grow"
      aria-label={props.label}
      value={props.value}
      onChange={event => props.choose(event.target.value)}
    >
      {props.options.map(([value, words]) => (
        <option key={value} value={value}>
          {words}
        </option>
      ))}
    </select>
  );
}

export function actionWord(action: Action, trans: TranslationBundle): string {
  return {
    read: trans.__('Reading'),
    write: trans.__('Writing'),
    run: trans.__('Running code'),
    send: trans.__('Sending')
  }[action];
}

function decisionWord(
  decision: AuditEntry['decision'],
  trans: TranslationBundle
): string {
  return {
    auto: trans.__('Allowed by rule'),
    asked: trans.__('Asked'),
    allowed: trans.__('Allowed'),
    refused: trans.__('Refused'),
    denied: trans.__('Denied by rule'),
    expired: trans.__('Expired'),
    done: trans.__('Done'),
    failed: trans.__('Failed')
  }[decision];
}

/** Whose decision it was, or what came of it. */
function deciderWord(by: string, trans: TranslationBundle): string {
  const words: Record<string, string> = {
    rules: trans.__('the rules'),
    profile: trans.__('a profile'),
    policy: trans.__('a policy'),
    closed: trans.__('what is always closed'),
    grant: trans.__('an “always”'),
    person: trans.__('a person'),
    terminal: trans.__('a person at the terminal'),
    expiry: trans.__('nobody in time'),
    tool: trans.__('the tool')
  };
  return words[by] ?? by;
}
