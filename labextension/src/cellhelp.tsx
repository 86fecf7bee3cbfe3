/* Help on one cell: explain, fix, improve, document, test, and a prompt inside the cell. */

import type { JupyterFrontEnd } from '@jupyterlab/application';
import { CodeCell, type Cell } from '@jupyterlab/cells';
import type * as nbformat from '@jupyterlab/nbformat';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import { ReactWidget } from '@jupyterlab/ui-components';
import type { PanelLayout } from '@lumino/widgets';
import React from 'react';

import { FrameContext, useFrame, type Frame } from './frame';
import { apiPath } from './operations';
import { lindaIcon } from './tokens';
import type { ContextItem } from './types';

const BELOW_INPUT = 2;
const TEXT_CHARS = 8_000;

interface Wish {
  id: string;
  label: (trans: TranslationBundle) => string;
  /** What is sent to her. */
  text: (trans: TranslationBundle) => string;
  fits: (cell: Cell) => boolean;
}

const isCode = (cell: Cell): boolean => cell.model.type === 'code';

const WISHES: readonly Wish[] = [
  {
    id: 'linda:explain-cell',
    label: trans => trans.__('Explain this cell'),
    text: trans => trans.__('Explain this cell. Change nothing.'),
    fits: () => true
  },
  {
    id: 'linda:fix-cell',
    label: trans => trans.__('Fix the error of this cell'),
    text: trans =>
      trans.__(
        'This cell fails. Find the cause and fix it with the smallest edit of the cell.'
      ),
    fits: cell => isCode(cell) && errorOf(cell) !== ''
  },
  {
    id: 'linda:improve-cell',
    label: trans => trans.__('Improve this cell'),
    text: trans =>
      trans.__(
        'Improve this cell: clearer and simpler, with the same results. Edit the cell.'
      ),
    fits: () => true
  },
  {
    id: 'linda:document-cell',
    label: trans => trans.__('Document this cell'),
    text: trans =>
      trans.__(
        'Document this cell: docstrings and the comments a reader needs. Edit the cell, change no behaviour.'
      ),
    fits: isCode
  },
  {
    id: 'linda:test-cell',
    label: trans => trans.__('Write a test for this cell'),
    text: trans =>
      trans.__(
        'Write a short test for this cell in a new cell right below it. Do not run it.'
      ),
    fits: isCode
  }
];

/** The commands, for the cell's toolbar, its context menu and the palette. */
export function addCellHelp(
  app: JupyterFrontEnd,
  tracker: INotebookTracker,
  frame: () => Frame,
  reveal: () => void
): string[] {
  const active = (): Cell | null => tracker.activeCell;
  const ids = WISHES.map(wish => {
    app.commands.addCommand(wish.id, {
      label: () => wish.label(frame().trans),
      isVisible: () => fitting(active(), wish),
      isEnabled: () => fitting(active(), wish),
      describedBy: { args: { type: 'object', properties: {} } },
      execute: async () => {
        const { actions, trans } = frame();
        const context = contextOf(tracker.currentWidget, active());
        if (context) {
          reveal();
          await actions.askAbout(wish.text(trans), context);
        }
      }
    });
    return wish.id;
  });
  app.commands.addCommand('linda:prompt-cell', {
    label: () => frame().trans.__('Ask Linda about this cell…'),
    icon: lindaIcon,
    isEnabled: () => active() !== null,
    describedBy: { args: { type: 'object', properties: {} } },
    execute: () => openPrompt(tracker, frame)
  });
  return [...ids, 'linda:prompt-cell'];
}

function fitting(cell: Cell | null, wish: Wish): boolean {
  return cell !== null && !cell.isDisposed && wish.fits(cell);
}

function contextOf(
  panel: NotebookPanel | null,
  cell: Cell | null
): ContextItem[] | null {
  if (!panel || !cell) {
    return null;
  }
  const path = apiPath(panel.context.path);
  const at = panel.content.widgets.indexOf(cell) + 1;
  const base = { path, cell_id: cell.model.id, name: String(at) };
  const source = cell.model.sharedModel.getSource().slice(0, TEXT_CHARS);
  const items: ContextItem[] = [{ kind: 'cell', ...base, text: source }];
  const error = errorOf(cell);
  if (error) {
    items.push({ kind: 'output', ...base, text: error.slice(0, TEXT_CHARS) });
  }
  return items;
}

/** The traceback a cell shows, without colours; empty where it shows none. */
function errorOf(cell: Cell): string {
  if (!(cell instanceof CodeCell)) {
    return '';
  }
  const { outputs } = cell.model.sharedModel.toJSON() as nbformat.ICodeCell;
  const error = outputs.find(output => output.output_type === 'error');
  if (!error) {
    return '';
  }
  const { ename, evalue, traceback } = error as unknown as {
    ename: string;
    evalue: string;
    traceback: string[];
  };
  const text =
    traceback.length > 0 ? traceback.join('\n') : `${ename}: ${evalue}`;
  return text.replace(/\u001b\[[0-9;]*m/g, '');
}

function openPrompt(tracker: INotebookTracker, frame: () => Frame): void {
  const cell = tracker.activeCell;
  const context = contextOf(tracker.currentWidget, cell);
  const layout = cell?.layout as PanelLayout | undefined;
  if (!cell || !context || !layout) {
    return;
  }
  const known = layout.widgets.find(one => one.hasClass('linda-PromptAt'));
  if (known) {
    known.node.querySelector('input')?.focus();
    return;
  }
  const close = (): void => {
    widget.dispose();
    tracker.currentWidget?.content.activate();
  };
  const widget = ReactWidget.create(
    <FrameContext.Provider value={frame()}>
      <CellPrompt
        onClose={close}
        onAsk={text => {
          const fresh = contextOf(tracker.currentWidget, cell) ?? context;
          close();
          void frame().actions.askAbout(text, fresh);
        }}
      />
    </FrameContext.Provider>
  );
  widget.addClass('linda-InNotebook');
  widget.addClass('linda-PromptAt');
  layout.insertWidget(BELOW_INPUT, widget);
}

function CellPrompt(props: {
  onAsk: (text: string) => void;
  onClose: () => void;
}): JSX.Element {
  const { trans } = useFrame();
  const [text, setText] = React.useState('');
  const input = React.useRef<HTMLInputElement>(null);
  React.useEffect(() => input.current?.focus(), []);
  const ask = (): void => {
    if (text.trim()) {
      props.onAsk(text.trim());
    }
  };
  return (
    <form
      className="linda-CellPrompt"
      aria-label={trans.__('Ask Linda about this cell')}
      onSubmit={event => {
        event.preventDefault();
        ask();
      }}
      /* The notebook's own shortcuts must not act on what is typed here. */
      data-lm-suppress-shortcuts="true"
    >
      <input
        ref={input}
        className="linda-Input linda-mod-grow"
        aria-label={trans.__('What shall be done with this cell?')}
        placeholder={trans.__('What shall be done with this cell?')}
        value={text}
        onChange={event => setText(event.target.value)}
        onKeyDown={event => {
          if (event.nativeEvent.isComposing) {
            return;
          }
          if (event.key === 'Enter') {
            /* The notebook takes Enter for itself before the form can. */
            event.preventDefault();
            ask();
          } else if (event.key === 'Escape') {
            event.stopPropagation();
            props.onClose();
          }
        }}
      />
      <button
        type="submit"
        className="linda-Button linda-mod-primary"
        disabled={!text.trim()}
      >
        {trans.__('Ask')}
      </button>
      <button type="button" className="linda-Button" onClick={props.onClose}>
        {trans.__('Cancel')}
      </button>
    </form>
  );
}
