/* What was allowed for good, the rules behind it, and what was decided. */

import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

import { useFrame, useStore } from '../frame';
import { clockTime } from '../moments';
import { AuditList, actionWord } from '../parts/audit';
import { Consents, TryRequest } from '../parts/consents';
import { Levels } from '../parts/levels';
import { Policies, Rules } from '../parts/rules';
import { TryRules } from '../parts/trial';
import type { Grant } from '../types';

export default function PermissionsView(): JSX.Element {
  /* Rules being written; null while they are as they are saved. */
  const [text, setText] = React.useState<string | null>(null);
  return (
    <div className="linda-View">
      <div className="linda-Scroll linda-Page">
        <Grants />
        <Consents />
        <Levels />
        <TryRequest />
        <Rules text={text} setText={setText} />
        <TryRules text={text} />
        <Policies />
        <AuditList />
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

function grantWords(grant: Grant, trans: TranslationBundle): string {
  const what = grant.tool || actionWord(grant.action, trans);
  return grant.path ? trans.__('%1 in %2', what, grant.path) : what;
}
