/* Model servers found on the Jupyter server's machine. */

import React from 'react';

import type { DetectedServer } from '../api';
import { useFrame } from '../frame';

export function LocalServers(props: {
  onUse: (found: DetectedServer) => void;
}): JSX.Element {
  const { actions, trans } = useFrame();
  const [found, setFound] = React.useState<DetectedServer[] | null>(null);
  const [isLooking, setLooking] = React.useState(false);
  return (
    <section>
      <h3>{trans.__('Model servers on this machine')}</h3>
      <ul className="linda-List">
        {(found ?? []).map(server => (
          <li key={server.base_url} className="linda-List-item">
            <div className="linda-List-text">
              <strong>{server.label}</strong>
              <span className="linda-Note">
                {server.base_url} ·{' '}
                {server.models.slice(0, 4).join(', ') || trans.__('no models')}
              </span>
            </div>
            <button
              type="button"
              className="linda-Button"
              onClick={() => props.onUse(server)}
            >
              {trans.__('Use %1', server.label)}
            </button>
          </li>
        ))}
      </ul>
      {found?.length === 0 && (
        <p className="linda-Note" role="status">
          {trans.__('No Ollama, LM Studio or llama.cpp answers here.')}
        </p>
      )}
      <button
        type="button"
        className="linda-Button"
        disabled={isLooking}
        onClick={() => {
          setLooking(true);
          void actions.detectServers().then(servers => {
            setFound(servers);
            setLooking(false);
          });
        }}
      >
        {isLooking ? trans.__('Looking…') : trans.__('Look for local servers')}
      </button>
    </section>
  );
}
