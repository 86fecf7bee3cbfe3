/* A chat without messages: three things to try on the notebook that is open. */

import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

import { useFrame, useStore } from '../frame';
import type { NotebookFacts } from '../store';

export function EmptyChat(): JSX.Element {
  const { actions, trans } = useFrame();
  const notebook = useStore(state => state.notebook);
  const [isSending, setSending] = React.useState(false);
  const suggestions = notebook ? about(notebook, trans) : general(trans);
  return (
    <div className="linda-Scroll linda-Empty">
      <h3>
        {notebook
          ? trans.__('What shall we do in %1?', notebook.name)
          : trans.__('What shall we do?')}
      </h3>
      {suggestions.map(text => (
        <button
          key={text}
          type="button"
          className="linda-Button linda-Empty-try"
          disabled={isSending}
          onClick={() => {
            setSending(true);
            void actions.sendText(text).then(() => setSending(false));
          }}
        >
          {text}
        </button>
      ))}
    </div>
  );
}

/** Three that fit: an error first, then data frames, then the notebook as a whole. */
function about(notebook: NotebookFacts, trans: TranslationBundle): string[] {
  const found: string[] = [];
  if (notebook.errorCell !== null) {
    found.push(
      trans.__('Explain the error in cell %1', String(notebook.errorCell))
    );
  }
  if (notebook.frames.length > 0) {
    found.push(trans.__('Describe the data frame %1', notebook.frames[0]));
  }
  found.push(
    trans.__('Describe what %1 does', notebook.name),
    trans.__('List the variables of this notebook'),
    trans.__('Insert a cell: `import sys; print(sys.version)`')
  );
  return found.slice(0, 3);
}

function general(trans: TranslationBundle): string[] {
  return [
    trans.__('What can you do here?'),
    trans.__('List the files in this folder'),
    trans.__('Which notebooks do I have?')
  ];
}
