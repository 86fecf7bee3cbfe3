/* Edits of a notebook, checked as a whole before the first is done. */

import { OperationError } from './operations';
import type { Json } from './types';

/** One change of an `edit_notebook` request. */
export type Edit =
  | {
      op: 'insert';
      index: number;
      cell_id?: string;
      cell_type: string;
      source: string;
      metadata?: { [key: string]: Json };
    }
  | { op: 'replace'; cell_id: string; expect: string; source: string }
  | { op: 'delete'; cell_id: string; expect: string };

interface SharedCell {
  readonly id: string;
  getSource(): string;
  setSource(source: string): void;
}

/** The part of a shared notebook that edits need. */
export interface SharedCells {
  readonly cells: readonly SharedCell[];
  insertCell(at: number, cell: NewCell): unknown;
  deleteCell(at: number): void;
}

/* A type, not an interface: nbformat's cells want an index signature. */
type NewCell = {
  id?: string;
  cell_type: string;
  source: string;
  metadata: { [key: string]: Json };
};

/**
 * The steps that do the edits, in order; throws before any is done. Positions are counted here, because the
 * shared model's own list of cells stays as it was until its transaction ends.
 */
export function planEdits(
  notebook: SharedCells,
  edits: Edit[]
): (() => void)[] {
  const order = notebook.cells.map(cell => cell.id);
  return edits.map(edit => {
    if (edit.op === 'insert') {
      return planInsert(notebook, order, edit);
    }
    const cell =
      notebook.cells[expectSource(notebook, edit.cell_id, edit.expect)];
    const at = order.indexOf(edit.cell_id);
    if (at < 0) {
      throw new OperationError(
        'NotFound',
        `Cell ${edit.cell_id} is deleted by an earlier edit of this request.`
      );
    }
    if (edit.op === 'replace') {
      const { source } = edit;
      return () => cell.setSource(source);
    }
    order.splice(at, 1);
    return () => notebook.deleteCell(at);
  });
}

function planInsert(
  notebook: SharedCells,
  order: string[],
  edit: Edit & { op: 'insert' }
): () => void {
  const { index, cell_id, cell_type, source, metadata } = edit;
  if (cell_id && order.includes(cell_id)) {
    throw new OperationError(
      'AmbiguousCell',
      `There is already a cell with the id ${cell_id}.`
    );
  }
  const at = Math.min(Math.max(index, 0), order.length);
  order.splice(at, 0, cell_id ?? '');
  const id = cell_id ? { id: cell_id } : {};
  return () => {
    notebook.insertCell(at, {
      cell_type,
      source,
      metadata: metadata ?? {},
      ...id
    });
  };
}

/** Index of the cell, whose source must be what the caller read. */
export function expectSource(
  notebook: SharedCells,
  cellId: string,
  source: string
): number {
  const at = cellAt(notebook, cellId);
  if (notebook.cells[at].getSource() !== source) {
    throw new OperationError(
      'StaleRevision',
      `Cell ${cellId} changed since it was read. Read the notebook again.`
    );
  }
  return at;
}

export function cellAt(notebook: SharedCells, cellId: string): number {
  const places = notebook.cells.flatMap((cell, at) =>
    cell.id === cellId ? [at] : []
  );
  if (places.length > 1) {
    throw new OperationError(
      'AmbiguousCell',
      `${places.length} cells have the id ${cellId}. Give them their own ids first.`
    );
  }
  if (places.length === 0) {
    throw new OperationError(
      'NotFound',
      `There is no cell with the id ${cellId}.`
    );
  }
  return places[0];
}
