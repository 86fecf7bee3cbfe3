/* Models and providers: the default model, what is connected, connecting one more. */

import React from 'react';

import type { DetectedServer } from '../api';
import { useFrame, useStore } from '../frame';
import { nameInList } from '../models';
import { clockTime } from '../moments';
import { ProviderForm } from '../parts/provider';
import { Fallbacks } from '../parts/fallbacks';
import { LocalServers } from '../parts/servers';
import { StandingInstructions } from '../parts/standing';
import type { Provider } from '../types';

/** A provider being edited, or a new one with what a detected server says of itself. */
type Editing = { provider: Provider | null; found: DetectedServer | null };

export default function SettingsView(): JSX.Element {
  const { actions, commands, trans } = useFrame();
  const providers = useStore(state => state.providers);
  const [editing, setEditing] = React.useState<Editing | null>(null);
  if (editing) {
    return (
      <div className="linda-View">
        <div className="linda-Scroll linda-Page">
          <ProviderForm {...editing} onDone={() => setEditing(null)} />
        </div>
      </div>
    );
  }
  return (
    <div className="linda-View">
      <div className="linda-Scroll linda-Page">
        <DefaultModel />
        <Fallbacks />
        <section aria-labelledby="linda-providers">
          <h3 id="linda-providers">{trans.__('Connected providers')}</h3>
          {providers?.length === 0 && (
            <p className="linda-Note">
              {trans.__('None yet. Only models on this machine are used.')}
            </p>
          )}
          <ul className="linda-List">
            {(providers ?? []).map(provider => (
              <ProviderRow
                key={provider.name}
                provider={provider}
                onEdit={() => setEditing({ provider, found: null })}
              />
            ))}
          </ul>
          <button
            type="button"
            className="linda-Button linda-mod-primary"
            onClick={() => setEditing({ provider: null, found: null })}
          >
            {trans.__('Connect a provider')}
          </button>
        </section>
        <LocalServers onUse={found => setEditing({ provider: null, found })} />
        <StandingInstructions />
        <section>
          <h3>{trans.__('Panel')}</h3>
          <div className="linda-Row">
            <button
              type="button"
              className="linda-Button"
              onClick={() =>
                void commands.execute('settingeditor:open', { query: 'Linda' })
              }
            >
              {trans.__('Language, pictures, notifications…')}
            </button>
            <button
              type="button"
              className="linda-Button"
              onClick={() => actions.show('readiness')}
            >
              {trans.__('Readiness')}
            </button>
          </div>
        </section>
      </div>
    </div>
  );
}

function DefaultModel(): JSX.Element {
  const { actions, trans } = useFrame();
  const models = useStore(state => state.models);
  return (
    <section>
      <h3 id="linda-default-model">{trans.__('Model of new chats')}</h3>
      <select
        className="linda-Input"
        aria-labelledby="linda-default-model"
        value={models?.default ?? ''}
        onChange={event => void actions.setDefaultModel(event.target.value)}
      >
        {!models?.default && <option value="">{trans.__('No model')}</option>}
        {(models?.models ?? []).map(model => (
          <option key={model.model_id} value={model.model_id}>
            {nameInList(model, trans)}
            {model.is_ready ? '' : ` (${trans.__('not ready')})`}
          </option>
        ))}
      </select>
    </section>
  );
}

function ProviderRow(props: {
  provider: Provider;
  onEdit: () => void;
}): JSX.Element {
  const { actions, trans } = useFrame();
  const { provider } = props;
  const label = provider.label || provider.name;
  const key = provider.has_key
    ? provider.key_source === 'environment'
      ? trans.__('key from the environment')
      : trans.__(
          'key set %1',
          provider.key_set_at ? clockTime(provider.key_set_at) : ''
        )
    : trans.__('no key');
  return (
    <li className="linda-List-item">
      <div className="linda-List-text">
        <strong>{label}</strong>
        <span className="linda-Note">
          {[
            provider.kind,
            provider.base_url,
            key,
            provider.is_shared ? trans.__('for everybody on this server') : ''
          ]
            .filter(Boolean)
            .join(' · ')}
        </span>
      </div>
      {!provider.is_shared && (
        <>
          <button
            type="button"
            className="linda-Button"
            aria-label={trans.__('Edit %1', label)}
            onClick={props.onEdit}
          >
            {trans.__('Edit')}
          </button>
          <button
            type="button"
            className="linda-Button"
            aria-label={trans.__('Disconnect %1', label)}
            onClick={() => void actions.deleteProvider(provider.name)}
          >
            {trans.__('Disconnect')}
          </button>
        </>
      )}
    </li>
  );
}
