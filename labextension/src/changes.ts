/* The actions on what she changed, and on the task list. */

import { Setup } from './setup';
import { putTask } from './store';
import type { NewTask, Task, TaskPatch, Undo } from './types';

export class Changes extends Setup {
  /** Take changes back; what stays says why in its entry, which comes as an event too. False: something stays. */
  async undo(chatId: string, wish: Undo): Promise<boolean> {
    let isWhole = false;
    await this.turn(async () => {
      const { entries } = await this.api.undo(chatId, wish);
      isWhole = entries.every(entry => entry.state === 'undone');
    });
    return isWhole;
  }

  async redo(chatId: string, wish: Undo): Promise<void> {
    await this.turn(() => this.api.redo(chatId, wish));
  }

  /** The person wanted these changes at the cell, kept them, or took them back. */
  lookOver(callId: string): void {
    this.store.update(({ lookedOver }) => ({
      lookedOver: [...lookedOver, callId]
    }));
  }

  async loadTasks(): Promise<void> {
    await this.guarded(async () => {
      const { tasks } = await this.api.tasks();
      this.store.update({ tasks });
    });
  }

  async addTask(task: NewTask): Promise<boolean> {
    return this.guarded(async () => {
      const added = await this.api.addTask(task);
      this.store.update(state => putTask(state, added));
    });
  }

  async changeTask(task: Task, patch: TaskPatch): Promise<void> {
    await this.guarded(async () => {
      const body = { ...patch, revision: task.revision };
      const changed = await this.api.changeTask(task.task_id, body);
      this.store.update(state => putTask(state, changed));
    });
  }

  async deleteTask(task: Task): Promise<void> {
    await this.guarded(async () => {
      await this.api.deleteTask(task.task_id);
      this.store.update(state => putTask(state, task, true));
    });
  }

  private async turn(work: () => Promise<unknown>): Promise<void> {
    this.store.update({ isTurning: true });
    await this.guarded(work);
    this.store.update({ isTurning: false });
  }
}
