/* What the user has open and selected: presence for the server, chips and suggestions for the panel. */

import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import { PathExt } from '@jupyterlab/coreutils';
import { DisposableDelegate, type IDisposable } from '@lumino/disposable';

import { apiPath } from './operations';
import type { NotebookFacts } from './store';
import type { ContextItem, Presence } from './types';

const SOURCE_LIMIT_CHARS = 8_000;
const SETTLE_MS = 150;
const FRAME =
  /^[ \t]*([A-Za-z_]\w*)[ \t]*=[ \t]*(?:pd|pandas|pl|polars)\.(?:read_\w+|DataFrame)\b|^[ \t]*([A-Za-z_]\w*)[ \t]*=[ \t]*load_penguins\(/gm;

export interface FocusListener {
  presence(presence: Presence): void;
  focus(facts: NotebookFacts | null, context: ContextItem[]): void;
}

/** Watch the tracker until disposed; each burst of changes is told once. */
export function watchFocus(
  tracker: INotebookTracker,
  listener: FocusListener
): IDisposable {
  const watched = new Set<NotebookPanel>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastPresence = '';

  const tell = (): void => {
    const paths = new Set<string>();
    tracker.forEach(panel => paths.add(apiPath(panel.context.path)));
    const current = tracker.currentWidget;
    const presence = {
      notebooks: [...paths],
      active: current ? apiPath(current.context.path) : ''
    };
    if (JSON.stringify(presence) !== lastPresence) {
      lastPresence = JSON.stringify(presence);
      listener.presence(presence);
    }
    listener.focus(factsOf(current), contextOf(current));
  };
  const soon = (): void => {
    clearTimeout(timer);
    timer = setTimeout(tell, SETTLE_MS);
  };
  const watch = (panel: NotebookPanel): void => {
    if (watched.has(panel)) {
      return;
    }
    watched.add(panel);
    panel.context.pathChanged.connect(soon);
    panel.context.model.contentChanged.connect(soon);
    panel.disposed.connect(() => {
      watched.delete(panel);
      soon();
    });
    void panel.context.ready.then(soon, () => undefined);
    soon();
  };
  const added = (_: unknown, panel: NotebookPanel): void => watch(panel);

  tracker.forEach(watch);
  tracker.widgetAdded.connect(added);
  tracker.currentChanged.connect(soon);
  tracker.activeCellChanged.connect(soon);
  tracker.selectionChanged.connect(soon);
  soon();

  return new DisposableDelegate(() => {
    clearTimeout(timer);
    tracker.widgetAdded.disconnect(added);
    tracker.currentChanged.disconnect(soon);
    tracker.activeCellChanged.disconnect(soon);
    tracker.selectionChanged.disconnect(soon);
    for (const panel of watched) {
      panel.context.pathChanged.disconnect(soon);
      panel.context.model?.contentChanged.disconnect(soon);
    }
  });
}

function factsOf(panel: NotebookPanel | null): NotebookFacts | null {
  const cells = panel?.context.model?.sharedModel.cells;
  if (!panel || !cells) {
    return null;
  }
  const code = cells.filter(cell => cell.cell_type === 'code');
  const frames = code.flatMap(cell =>
    [...cell.getSource().matchAll(FRAME)].map(found => found[1] ?? found[2])
  );
  const errorAt = cells.findIndex(cell => {
    const { outputs } = cell.toJSON() as {
      outputs?: { output_type: string }[];
    };
    return outputs?.some(output => output.output_type === 'error') ?? false;
  });
  const path = apiPath(panel.context.path);
  return {
    path,
    name: PathExt.basename(path),
    frames: [...new Set(frames)],
    errorCell: errorAt < 0 ? null : errorAt + 1,
    cells: cells.length
  };
}

function contextOf(panel: NotebookPanel | null): ContextItem[] {
  if (!panel?.context.model) {
    return [];
  }
  const path = apiPath(panel.context.path);
  const items: ContextItem[] = [
    {
      kind: 'notebook',
      path,
      cell_id: '',
      name: PathExt.basename(path),
      text: ''
    }
  ];
  const cell = panel.content.activeCell;
  if (!cell) {
    return items;
  }
  const selected = cell.editor ? selectionIn(cell.editor) : '';
  items.push({
    kind: selected ? 'selection' : 'cell',
    path,
    cell_id: cell.model.id,
    name: String(panel.content.activeCellIndex + 1),
    text: (selected || cell.model.sharedModel.getSource()).slice(
      0,
      SOURCE_LIMIT_CHARS
    )
  });
  return items;
}

interface Selectable {
  getSelection(): { start: Position; end: Position };
  getOffsetAt(position: Position): number;
  model: { sharedModel: { getSource(): string } };
}

interface Position {
  line: number;
  column: number;
}

function selectionIn(editor: Selectable): string {
  const { start, end } = editor.getSelection();
  const [from, to] = [editor.getOffsetAt(start), editor.getOffsetAt(end)];
  return editor.model.sharedModel
    .getSource()
    .slice(Math.min(from, to), Math.max(from, to));
}
