/* The first run: the built-in demo model, a provider, or a model server on this machine. */

import React from 'react';

import type { DetectedServer } from '../api';
import { useFrame, useStore } from '../frame';
import { DEMO_MODEL } from '../parts/demo';
import { ProviderForm } from '../parts/provider';
import { LocalServers } from '../parts/servers';

export default function WelcomeView(): JSX.Element {
  const { actions, trans } = useFrame();
  const status = useStore(state => state.status);
  const [form, setForm] = React.useState<{
    found: DetectedServer | null;
  } | null>(null);
  const demo = useStore(state =>
    state.models?.models.find(model => model.model_id === DEMO_MODEL)
  );
  /* Without its weights the demo model still does commands; its note says so. */
  const isReady = demo?.is_ready ?? status?.demo_model === 'ready';
  if (form) {
    return (
      <div className="linda-View">
        <div className="linda-Scroll linda-Page">
          <ProviderForm
            provider={null}
            found={form.found}
            onDone={() => {
              setForm(null);
              actions.leaveWelcomeIfConnected();
            }}
          />
        </div>
      </div>
    );
  }
  return (
    <div className="linda-View">
      <div className="linda-Scroll linda-Page">
        <h3>{trans.__('Hello, I am Linda.')}</h3>
        <p>
          {trans.__(
            'I work on your notebooks, data and files, and ask before I change, run or send anything. First choose what I think with; you can change it at any time.'
          )}
        </p>
        <section
          className="linda-Card linda-Choice"
          aria-labelledby="linda-demo"
        >
          <h4 id="linda-demo">{trans.__('Built-in demo model')}</h4>
          <p>
            {isReady
              ? trans.__(
                  'Small, and on this machine only: no key, nothing leaves. It can list, open, read, insert, run and describe; it cannot write reliable code.'
                )
              : trans.__(
                  'Not installed. Run `jupyter linda start` once in a terminal to fetch it, or connect a model below.'
                )}
          </p>
          {demo?.note && <p className="linda-Note">{demo.note}</p>}
          <button
            type="button"
            className="linda-Button linda-mod-primary"
            disabled={!isReady}
            onClick={() => actions.leaveWelcome()}
          >
            {trans.__('Start with the demo model')}
          </button>
        </section>
        <section
          className="linda-Card linda-Choice"
          aria-labelledby="linda-provider"
        >
          <h4 id="linda-provider">{trans.__('Connect a provider')}</h4>
          <p>
            {trans.__(
              'OpenAI, Anthropic, Azure, DeepSeek, your company’s own server …: with a key, an address, a proxy or your own CA.'
            )}
          </p>
          <button
            type="button"
            className="linda-Button"
            onClick={() => setForm({ found: null })}
          >
            {trans.__('Connect a provider')}
          </button>
        </section>
        <LocalServers onUse={found => setForm({ found })} />
        <button
          type="button"
          className="linda-Link"
          onClick={() => actions.leaveWelcome()}
        >
          {trans.__('Decide later')}
        </button>
      </div>
    </div>
  );
}
