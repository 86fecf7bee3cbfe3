/* Answers the server's operations on notebooks that are open in this tab. */

import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { Cell } from '@jupyterlab/cells';
import type * as nbformat from '@jupyterlab/nbformat';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';

import { cellAt, expectSource, planEdits, type Edit } from './edits';
import { OperationError, apiPath, within } from './operations';
import { RunningCell, type RunResult } from './running';
import type { OperationRequest } from './stream';

const READY_TIMEOUT_MS = 15_000;
const SAVE_TIMEOUT_MS = 10_000;
/** Clocks and file systems round: what JupyterLab itself tolerates before it calls a file changed. */
const MODIFIED_MARGIN_MS = 500;

export class NotebookHands {
  constructor(
    private readonly app: JupyterFrontEnd,
    private readonly tracker: INotebookTracker | null,
    private readonly report: (requestId: string, text: string) => void
  ) {}

  /** Do one operation; throws `OperationError` with a kind the server knows. */
  async perform(request: OperationRequest): Promise<object> {
    const path = textOf(request, 'path');
    switch (request.operation) {
      case 'read_notebook':
        return this.read(await this.panelOf(path));
      case 'edit_notebook':
        return this.edit(
          await this.panelOf(path),
          request.params.edits as unknown as Edit[]
        );
      case 'run_cell':
        return this.run(await this.panelOf(path), request);
      case 'open_document':
        return this.open(path, textOf(request, 'cell_id'));
      default:
        throw new OperationError(
          'InvalidInput',
          `This panel does not know the operation "${request.operation}". Reload the page after an upgrade.`
        );
    }
  }

  /** Stop a running request: interrupts the kernel only while it runs that very cell. */
  cancel(requestId: string): void {
    this.running.get(requestId)?.cancel();
  }

  /** Show a document, and one of its cells. */
  async open(path: string, cellId: string): Promise<object> {
    await this.app.commands.execute('docmanager:open', { path });
    if (cellId) {
      const panel = await this.panelOf(path);
      const at = cellAt(panel.context.model.sharedModel, cellId);
      panel.content.activeCellIndex = at;
      await panel.content.scrollToItem(at);
    }
    return { opened: true };
  }

  private read(panel: NotebookPanel): object {
    return { content: contentOf(panel), dirty: panel.context.model.dirty };
  }

  private async edit(panel: NotebookPanel, edits: Edit[]): Promise<object> {
    const notebook = panel.context.model.sharedModel;
    if (panel.context.model.readOnly) {
      throw new OperationError(
        'NotAllowed',
        `${panel.context.path} is read-only.`
      );
    }
    const steps = planEdits(notebook, edits);
    notebook.transact(() => steps.forEach(step => step()));
    const saved = await this.save(panel);
    return { content: contentOf(panel), saved };
  }

  private async run(
    panel: NotebookPanel,
    request: OperationRequest
  ): Promise<object> {
    const cellId = textOf(request, 'cell_id');
    const at = expectSource(
      panel.context.model.sharedModel,
      cellId,
      textOf(request, 'expect')
    );
    const cell: Cell = panel.content.widgets[at];
    if (cell?.model.id !== cellId) {
      throw new OperationError(
        'NotFound',
        `Cell ${cellId} is not shown yet. Try again.`
      );
    }
    if (cell.model.type !== 'code') {
      throw new OperationError(
        'InvalidInput',
        `Cell ${cellId} is not a code cell.`
      );
    }
    const running = new RunningCell(panel, cell, text =>
      this.report(request.request_id, text)
    );
    this.running.set(request.request_id, running);
    let result: RunResult;
    try {
      result = await running.run();
    } finally {
      this.running.delete(request.request_id);
    }
    return { ...result, saved: await this.save(panel) };
  }

  /** Save within a time limit; a file that changed on disk is left for the user to decide. */
  private async save(panel: NotebookPanel): Promise<boolean> {
    const { context } = panel;
    const work = async (): Promise<boolean> => {
      const known = context.contentsModel?.last_modified;
      if (known && !context.model.collaborative) {
        const disk = await this.app.serviceManager.contents.get(context.path, {
          content: false
        });
        const ahead = Date.parse(disk.last_modified) - Date.parse(known);
        if (ahead > MODIFIED_MARGIN_MS) {
          return false;
        }
      }
      await context.save();
      return !context.model.dirty;
    };
    return within(work(), SAVE_TIMEOUT_MS).catch(() => false);
  }

  private async panelOf(path: string): Promise<NotebookPanel> {
    const wanted = apiPath(path);
    let found: NotebookPanel | undefined;
    this.tracker?.forEach(panel => {
      if (apiPath(panel.context.path) === wanted) {
        found ??= panel;
      }
    });
    if (!found) {
      throw new OperationError(
        'NotFound',
        `${wanted} is not open in this tab.`
      );
    }
    await within(found.context.ready, READY_TIMEOUT_MS).catch(() => {
      throw new OperationError(
        'Unavailable',
        `${wanted} is still loading. Try again.`
      );
    });
    return found;
  }

  private readonly running = new Map<string, RunningCell>();
}

/** The notebook with every cell's id in this tab: formats below 4.5 keep none in their JSON. */
function contentOf(panel: NotebookPanel): nbformat.INotebookContent {
  const { model } = panel.context;
  const content = model.toJSON() as nbformat.INotebookContent;
  const shared = model.sharedModel.cells;
  const cells = content.cells.map((cell, at) => ({
    ...cell,
    id: shared[at].id
  }));
  return { ...content, cells };
}

function textOf(request: OperationRequest, name: string): string {
  const value = request.params[name];
  return typeof value === 'string' ? value : '';
}
