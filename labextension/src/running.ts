/* One cell being run for the server: progress, the end, and an interrupt only while it is ours. */

import type { Cell, CodeCell } from '@jupyterlab/cells';
import type * as nbformat from '@jupyterlab/nbformat';
import { NotebookActions, type NotebookPanel } from '@jupyterlab/notebook';
import type { Kernel, KernelMessage } from '@jupyterlab/services';

import { OperationError, within } from './operations';

const KERNEL_TIMEOUT_MS = 30_000;
const PROGRESS_MS = 300;
const PROGRESS_CHARS = 2_000;

export interface RunResult {
  status: 'ok' | 'error' | 'interrupted' | 'kernel_died';
  outputs: nbformat.IOutput[];
  execution_count: number | null;
}

export class RunningCell {
  constructor(
    private readonly panel: NotebookPanel,
    cell: Cell,
    private readonly report: (text: string) => void
  ) {
    this.cell = cell as CodeCell;
  }

  async run(): Promise<RunResult> {
    const context = this.panel.sessionContext;
    const kernel = await this.kernel();
    kernel.iopubMessage.connect(this.heard, this);
    kernel.anyMessage.connect(this.seen, this);
    const died = new Promise<'kernel_died'>(resolve => {
      this.onDeath = () => resolve('kernel_died');
    });
    context.statusChanged.connect(this.status, this);
    const timer = setInterval(() => this.tell(), PROGRESS_MS);
    try {
      const end = await Promise.race([
        NotebookActions.runCells(this.panel.content, [this.cell], context),
        died
      ]);
      return this.result(end === 'kernel_died');
    } finally {
      clearInterval(timer);
      kernel.iopubMessage.disconnect(this.heard, this);
      kernel.anyMessage.disconnect(this.seen, this);
      context.statusChanged.disconnect(this.status, this);
    }
  }

  cancel(): void {
    this.isCancelled = true;
    this.interruptIfOurs();
  }

  /** A live kernel; without one, running would open a dialog and wait for the user. */
  private async kernel(): Promise<Kernel.IKernelConnection> {
    const context = this.panel.sessionContext;
    await within(context.ready, KERNEL_TIMEOUT_MS).catch(() => undefined);
    const kernel = context.session?.kernel;
    if (!kernel || context.hasNoKernel) {
      throw new OperationError(
        'KernelUnavailable',
        `${this.panel.context.path} has no kernel. Choose one in the notebook.`
      );
    }
    if (kernel.status === 'dead') {
      throw new OperationError(
        'KernelUnavailable',
        `The kernel of ${this.panel.context.path} is dead. Restart it.`
      );
    }
    if (context.pendingInput) {
      throw new OperationError(
        'KernelUnavailable',
        `A cell of ${this.panel.context.path} waits for typed input.`
      );
    }
    return kernel;
  }

  /** Learn the id of the execute request that carries our cell. */
  private seen(_: unknown, { msg, direction }: Kernel.IAnyMessageArgs): void {
    const sent = msg as KernelMessage.IMessage;
    const meta = sent.metadata as { cellId?: string } | undefined;
    if (
      direction === 'send' &&
      sent.header.msg_type === 'execute_request' &&
      meta?.cellId === this.cell.model.id
    ) {
      this.requestId = sent.header.msg_id;
    }
  }

  private heard(_: unknown, message: KernelMessage.IIOPubMessage): void {
    const parent = message.parent_header as { msg_id?: string };
    if (!this.requestId || parent.msg_id !== this.requestId) {
      return;
    }
    if (message.header.msg_type === 'execute_input') {
      this.isOurs = true;
      if (this.isCancelled) {
        this.interruptIfOurs();
      }
    } else if (message.header.msg_type === 'status') {
      const { execution_state } = message.content as {
        execution_state: string;
      };
      this.isOurs &&= execution_state !== 'idle';
    }
  }

  private status(_: unknown, status: Kernel.Status): void {
    if (
      ['dead', 'autorestarting', 'restarting', 'terminating'].includes(status)
    ) {
      this.onDeath();
    }
  }

  private interruptIfOurs(): void {
    if (this.isOurs) {
      void this.panel.sessionContext.session?.kernel?.interrupt();
    }
  }

  private tell(): void {
    const text = this.outputs()
      .filter(output => output.output_type === 'stream')
      .map(output => joined(output.text as nbformat.MultilineString))
      .join('')
      .slice(-PROGRESS_CHARS);
    if (text && text !== this.told) {
      this.told = text;
      this.report(text);
    }
  }

  private result(isDead: boolean): RunResult {
    const outputs = this.outputs();
    const fault = outputs.find(output => output.output_type === 'error');
    let status: RunResult['status'] = fault ? 'error' : 'ok';
    if (isDead) {
      status = 'kernel_died';
    } else if (
      this.isCancelled &&
      (!fault || fault.ename === 'KeyboardInterrupt')
    ) {
      status = 'interrupted';
    }
    return { status, outputs, execution_count: this.cell.model.executionCount };
  }

  private outputs(): nbformat.IOutput[] {
    return this.cell.isDisposed ? [] : this.cell.model.outputs.toJSON();
  }

  private readonly cell: CodeCell;
  private requestId = '';
  private isOurs = false;
  private isCancelled = false;
  private told = '';
  private onDeath: () => void = () => undefined;
}

function joined(text: nbformat.MultilineString): string {
  return Array.isArray(text) ? text.join('') : text;
}
