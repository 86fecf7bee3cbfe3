/* What was allowed for good, the rules behind it, and what was decided. */

import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

import { useFrame, useStore } from '../frame';
import { clockTime } from '../moments';
import { ProblemNote } from '../parts/problem';
import type { Action, AuditEntry, Grant } from '../types';

export default function PermissionsView(): JSX.Element {
  return (
    <div className="linda-View">
      <div className="linda-Scroll linda-Page">
        <Grants />
        <Rules />
        <Audit />
      </div>
    </div>
  );
}

function Grants(): JSX.Element {
  const { actions, trans } = useFrame();
  const grants = useStore(state => state.grants);
  const chats = useStore(state => state.chats);
  const titleOf = (chatId: string): string =>
    chats.find(chat => chat.chat_id === chatId)?.title || trans.__('one chat');
  return (
    <section aria-labelledby="linda-grants">
      <h3 id="linda-grants">{trans.__('Always allowed')}</h3>
      {grants?.length === 0 && (
        <p className="linda-Note">
          {trans.__('Nothing yet. “Always here” on a question adds a line.')}
        </p>
      )}
      <ul className="linda-List">
        {(grants ?? []).map(grant => (
          <li key={grant.grant_id} className="linda-List-item">
            <div className="linda-List-text">
              <strong>{grantWords(grant, trans)}</strong>
              <span className="linda-Note">
                {grant.chat_id ? titleOf(grant.chat_id) : trans.__('all chats')}
                {' · '}
                {grant.expires_at
                  ? trans.__('until %1', clockTime(grant.expires_at))
                  : trans.__('until revoked')}
              </span>
            </div>
            <button
              type="button"
              className="linda-Button"
              aria-label={trans.__('Revoke: %1', grantWords(grant, trans))}
              onClick={() => void actions.revokeGrant(grant.grant_id)}
            >
              {trans.__('Revoke')}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Rules(): JSX.Element {
  const { actions, trans } = useFrame();
  const rules = useStore(state => state.rules);
  const [text, setText] = React.useState<string | null>(null);
  const [isSaved, setSaved] = React.useState(false);
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
        className="linda-Input linda-Rules"
        rows={12}
        spellCheck={false}
        aria-label={trans.__('Rules as text')}
        value={shown}
        onChange={event => {
          setText(event.target.value);
          setSaved(false);
        }}
      />
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

function Audit(): JSX.Element {
  const { trans } = useFrame();
  const entries = useStore(state => state.audit) ?? [];
  return (
    <section aria-labelledby="linda-audit">
      <h3 id="linda-audit">{trans.__('What was decided')}</h3>
      {entries.length === 0 && (
        <p className="linda-Note">{trans.__('Nothing yet.')}</p>
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
                {clockTime(entry.at)} · {entry.by}
                {entry.rule && ` · ${entry.rule}`}
              </span>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

function grantWords(grant: Grant, trans: TranslationBundle): string {
  const what = grant.tool || actionWord(grant.action, trans);
  return grant.path ? trans.__('%1 in %2', what, grant.path) : what;
}

function actionWord(action: Action, trans: TranslationBundle): string {
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
