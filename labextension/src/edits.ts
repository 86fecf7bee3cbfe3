/* Edits of a notebook, checked as a whole before the first is done. */

import type * as nbformat from '@jupyterlab/nbformat';

import { OperationError } from './operations';
import type { Json } from './types';

/** Where a cell's metadata says who wrote it. */
const MARK = 'linda';

/** An index past every end: append, even if somebody adds a cell meanwhile. */
const APPEND = 1_000_000_000;

/** What a cell that comes back had besides its source. */
interface Kept {
  metadata?: { [key: string]: Json };
  outputs?: nbformat.IOutput[];
  execution_count?: number | null;
  attachments?: { [key: string]: Json };
}

/** One change of an `edit_notebook` request. */
export type Edit =
  | ({
      op: 'insert';
      index: number;
      cell_id?: string;
      cell_type: string;
      source: string;
    } & Kept)
  | {
      op: 'replace';
      cell_id: string;
      expect: string;
      source: string;
      /** Provenance in the cell's metadata: empty takes it away, null leaves it. */
      mark?: { [key: string]: Json } | null;
    }
  | { op: 'delete'; cell_id: string; expect: string }
  | { op: 'move'; cell_id: string; index: number }
  | ({
      op: 'change_type';
      cell_id: string;
      expect: string;
      cell_type: string;
    } & Kept)
  | {
      op: 'outputs';
      cell_id: string;
      outputs?: nbformat.IOutput[];
      execution_count?: number | null;
    };

interface SharedCell {
  readonly id: string;
  readonly cell_type: string;
  getSource(): string;
  updateSource(start: number, end: number, value?: string): void;
  setMetadata(key: string, value: { [key: string]: Json }): void;
  deleteMetadata(key: string): void;
  toJSON(): { metadata?: object; attachments?: object };
  /* Only code cells have these. */
  execution_count?: number | null;
  setOutputs?(outputs: nbformat.IOutput[]): void;
}

/** The part of a shared notebook that edits need. */
export interface SharedCells {
  readonly cells: readonly SharedCell[];
  insertCell(at: number, cell: NewCell): unknown;
  deleteCell(at: number): void;
  moveCell(from: number, to: number): void;
}

/* A type, not an interface: nbformat's cells want an index signature. */
type NewCell = {
  id?: string;
  cell_type: string;
  source: string;
  metadata: { [key: string]: Json };
  outputs?: nbformat.IOutput[];
  execution_count?: number | null;
  attachments?: { [key: string]: Json };
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
  const replaced = new Set<string>();
  return edits.map(edit => {
    if (edit.op === 'insert') {
      return planInsert(notebook, order, edit);
    }
    const cell =
      notebook.cells[
        'expect' in edit
          ? expectSource(notebook, edit.cell_id, edit.expect)
          : cellAt(notebook, edit.cell_id)
      ];
    const at = order.indexOf(edit.cell_id);
    if (at < 0 || replaced.has(edit.cell_id)) {
      throw new OperationError(
        'NotFound',
        `Cell ${edit.cell_id} is not the same any more after an earlier edit of this request.`
      );
    }
    switch (edit.op) {
      case 'replace': {
        const { source, mark } = edit;
        return () => {
          changeSource(cell, source);
          if (mark && Object.keys(mark).length > 0) {
            cell.setMetadata(MARK, mark);
          } else if (mark) {
            cell.deleteMetadata(MARK);
          }
        };
      }
      case 'delete':
        order.splice(at, 1);
        return () => notebook.deleteCell(at);
      case 'move': {
        replaced.add(edit.cell_id); // the shared model makes a new cell of it
        order.splice(at, 1);
        const to = placeIn(order, edit.index);
        order.splice(to, 0, edit.cell_id);
        return () => notebook.moveCell(at, to);
      }
      case 'change_type':
        replaced.add(edit.cell_id);
        return planType(notebook, cell, at, edit);
      case 'outputs':
        return planOutputs(cell, edit);
    }
  });
}

/** Only what differs is replaced: a cursor elsewhere in the cell stays where somebody types. */
function changeSource(cell: SharedCell, source: string): void {
  const old = cell.getSource();
  const most = Math.min(old.length, source.length);
  let start = 0;
  while (start < most && old[start] === source[start]) {
    start++;
  }
  let end = 0;
  while (
    end < most - start &&
    old[old.length - 1 - end] === source[source.length - 1 - end]
  ) {
    end++;
  }
  /* Half of a character of two code units is none: the shared text would lose it. */
  if (start > 0 && isFirstHalf(source, start - 1, old)) {
    start--;
  }
  if (end > 0 && isSecondHalf(source, end, old)) {
    end--;
  }
  if (start + end < old.length || start + end < source.length) {
    const value = source.slice(start, source.length - end);
    cell.updateSource(start, old.length - end, value);
  }
}

function isFirstHalf(source: string, at: number, old: string): boolean {
  const is = (text: string): boolean => /[\ud800-\udbff]/.test(text[at] ?? '');
  return is(source) || is(old);
}

function isSecondHalf(source: string, end: number, old: string): boolean {
  const is = (text: string): boolean =>
    /[\udc00-\udfff]/.test(text[text.length - end] ?? '');
  return is(source) || is(old);
}

/** Another type is another cell in its place, with the same id, source and metadata. */
function planType(
  notebook: SharedCells,
  cell: SharedCell,
  at: number,
  edit: Edit & { op: 'change_type' }
): () => void {
  const cellType = edit.cell_type;
  return () => {
    if (cell.cell_type === cellType) {
      return;
    }
    /* All that is needed is read first: a deleted shared cell has forgotten it. */
    const { id } = cell;
    const { metadata, attachments } = cell.toJSON() as Partial<NewCell>;
    const source = cell.getSource();
    const keeps = attachments && cellType !== 'code' ? { attachments } : {};
    const kept = edit.metadata ? keptOf(edit) : {};
    notebook.deleteCell(at);
    notebook.insertCell(at, {
      id,
      cell_type: cellType,
      source,
      metadata: metadata ?? {},
      ...keeps,
      ...kept
    });
  };
}

function planOutputs(
  cell: SharedCell,
  edit: Edit & { op: 'outputs' }
): () => void {
  if (cell.cell_type !== 'code') {
    throw new OperationError(
      'InvalidInput',
      `Cell ${edit.cell_id} is not a code cell: it has no outputs.`
    );
  }
  return () => {
    cell.setOutputs?.(edit.outputs ?? []);
    cell.execution_count = edit.execution_count ?? null;
  };
}

function planInsert(
  notebook: SharedCells,
  order: string[],
  edit: Edit & { op: 'insert' }
): () => void {
  const { index, cell_id, cell_type, source } = edit;
  if (cell_id && order.includes(cell_id)) {
    throw new OperationError(
      'AmbiguousCell',
      `There is already a cell with the id ${cell_id}.`
    );
  }
  const at = placeIn(order, index);
  order.splice(at, 0, cell_id ?? '');
  const id = cell_id ? { id: cell_id } : {};
  return () => {
    notebook.insertCell(at, {
      cell_type,
      source,
      metadata: {},
      ...keptOf(edit),
      ...id
    });
  };
}

/** A place there is, or the end for the server's word for it. */
function placeIn(order: readonly string[], index: number): number {
  if (index >= APPEND) {
    return order.length;
  }
  if (index < 0 || index > order.length) {
    throw new OperationError(
      'InvalidInput',
      `Index ${index} is out of range: the notebook has ${order.length} cells.`
    );
  }
  return index;
}

function keptOf(edit: Kept): Kept {
  const { metadata, outputs, execution_count, attachments } = edit;
  return {
    ...(metadata ? { metadata } : {}),
    ...(outputs ? { outputs, execution_count } : {}),
    ...(attachments ? { attachments } : {})
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
