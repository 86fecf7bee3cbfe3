/* What the buttons of a code block do to the active notebook. */

import type { INotebookTracker } from '@jupyterlab/notebook';

import type { CodeActions } from './frame';
import type { NotebookHands } from './notebook';

export function codeActions(
  tracker: INotebookTracker | null,
  hands: NotebookHands
): CodeActions {
  return {
    insertBelow: code => {
      const notebook = tracker?.currentWidget?.content;
      const shared = notebook?.model?.sharedModel;
      if (!notebook || !shared) {
        return false;
      }
      const at = notebook.activeCellIndex + 1;
      shared.insertCell(at, { cell_type: 'code', source: code });
      notebook.activeCellIndex = at;
      void notebook.scrollToItem(at);
      return true;
    },
    replaceCell: code => {
      const cell = tracker?.activeCell;
      if (!cell || cell.model.sharedModel.isDisposed) {
        return false;
      }
      cell.model.sharedModel.setSource(code);
      return true;
    },
    openDocument: (path, cellId) => {
      void hands.open(path, cellId).catch(console.warn);
    }
  };
}
