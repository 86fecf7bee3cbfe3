/* What the operations on notebooks share: their faults, paths and time limits. */

import type { Problem } from './types';

/** A fault with a kind of errors.py, for the reply. */
export class OperationError extends Error {
  constructor(
    readonly kind: string,
    message: string
  ) {
    super(message);
  }

  get problem(): Problem {
    return { kind: this.kind, message: this.message, remedy: '', detail: '' };
  }
}

/** The API path of a notebook: collaboration's drive is a view of the same files. */
export function apiPath(path: string): string {
  return path.replace(/^RTC:/, '').replace(/^\/+/, '');
}

/** The promise, or a rejection after `limitMs`. */
export async function within<T>(work: Promise<T>, limitMs: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('timeout')), limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
