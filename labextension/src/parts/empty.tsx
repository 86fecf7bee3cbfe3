/* A chat without messages: three things to try on the notebook that is open. */

import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

import { useFrame, useStore } from '../frame';
import type { NotebookFacts } from '../store';
import { useIsDemo } from './demo';

export function EmptyChat(): JSX.Element {
  const { actions, trans } = useFrame();
  const notebook = useStore(state => state.notebook);
  const [isSending, setSending] = React.useState(false);
  const isDemo = useIsDemo();
  const suggestions = notebook
    ? about(notebook, isDemo, trans)
    : general(trans);
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

/** Three that fit, and that the model can do: an error first, then data, then the notebook as a whole. */
function about(
  notebook: NotebookFacts,
  isDemo: boolean,
  trans: TranslationBundle
): string[] {
  const { errorCell, frames, name } = notebook;
  const found: string[] = [];
  if (errorCell !== null) {
    const cell = String(errorCell);
    found.push(
      isDemo
        ? trans.__('Show me cell %1', cell)
        : trans.__('Explain the error in cell %1', cell)
    );
  }
  if (frames.length > 0) {
    found.push(trans.__('Describe the data frame %1', frames[0]));
  }
  found.push(
    isDemo
      ? trans.__("What's in this notebook?")
      : trans.__('Describe what %1 does', name),
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
