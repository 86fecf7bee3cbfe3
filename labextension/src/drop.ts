/* Things dragged onto the panel: files of the file browser, cells of a notebook. */

import type { Drag } from '@lumino/dragdrop';
import type { Widget } from '@lumino/widgets';

import { fileItem } from './mentions';
import { apiPath } from './operations';
import type { ContextItem } from './types';

const FILES = 'application/x-jupyter-icontents';
const CELLS = 'application/vnd.jupyter.cells';

/** Take what is dropped on a widget as context of the next message. */
export function acceptDrops(
  widget: Widget,
  take: (items: ContextItem[]) => void
): void {
  const { node } = widget;
  const onOver = (event: Event): void => {
    const drag = event as Drag.Event;
    if (drag.mimeData.hasData(FILES) || drag.mimeData.hasData(CELLS)) {
      drag.preventDefault();
      drag.stopPropagation();
      drag.dropAction = drag.supportedActions === 'move' ? 'move' : 'copy';
      node.classList.add('linda-mod-drop');
    }
  };
  const onLeave = (): void => node.classList.remove('linda-mod-drop');
  const onDrop = (event: Event): void => {
    const drag = event as Drag.Event;
    onLeave();
    const items = itemsOf(drag);
    if (items.length > 0) {
      drag.preventDefault();
      drag.stopPropagation();
      /* Nothing moves: what is dragged stays where it is. */
      drag.dropAction = 'none';
      take(items);
    }
  };
  node.addEventListener('lm-dragenter', onOver);
  node.addEventListener('lm-dragover', onOver);
  node.addEventListener('lm-dragleave', onLeave);
  node.addEventListener('lm-drop', onDrop);
}

function itemsOf(drag: Drag.Event): ContextItem[] {
  if (drag.mimeData.hasData(FILES)) {
    const paths = drag.mimeData.getData(FILES) as string[];
    return paths.map(path =>
      fileItem(apiPath(path), /\.[^/]*$/.test(path) ? 'file' : 'directory')
    );
  }
  const source = drag.source as {
    activeCellIndex?: number;
    widgets?: { model: { id: string } }[];
    parent?: { context?: { path: string } };
  } | null;
  const path = source?.parent?.context?.path;
  const at = source?.activeCellIndex ?? -1;
  const cell = source?.widgets?.[at];
  return path && cell
    ? [
        {
          kind: 'cell',
          path: apiPath(path),
          cell_id: cell.model.id,
          name: `cell-${at + 1}`,
          text: ''
        }
      ]
    : [];
}
