/* What `@` finds: files anywhere below the root by any part of their path, and a fair share of each kind. Pure. */

/** A file or folder, as the contents API lists it. */
export interface Entry {
  path: string;
  type: string;
}

const MOST_FOLDERS = 120;
const MOST_ENTRIES = 4_000;
/** Folders that are asked for at the same time. */
const AT_ONCE = 8;
const PATIENCE_MS = 2_000;
/** How long what was found is kept while somebody types. */
const KEPT_MS = 15_000;
const SKIPPED = /^(\.|(node_modules|__pycache__|site-packages|venv|env)$)/;

/** Files and folders below the root, looked up nearest first; not all of them where there are very many. */
export class FileTree {
  constructor(
    private readonly list: (folder: string) => Promise<readonly Entry[]>,
    private readonly now: () => number = Date.now
  ) {}

  async entries(): Promise<readonly Entry[]> {
    if (!this.known || this.now() - this.at > KEPT_MS) {
      this.at = this.now();
      this.known = this.walk();
    }
    return this.known;
  }

  private async walk(): Promise<readonly Entry[]> {
    const found: Entry[] = [];
    const end = this.now() + PATIENCE_MS;
    let looked = 0;
    let folders = [''];
    while (folders.length > 0 && looked < MOST_FOLDERS) {
      const batch = folders.slice(0, Math.min(AT_ONCE, MOST_FOLDERS - looked));
      folders = folders.slice(batch.length);
      looked += batch.length;
      const lists = await Promise.all(
        /* A folder that may not be read has nothing to offer. */
        batch.map(folder => this.list(folder).catch(() => []))
      );
      for (const entry of lists.flat()) {
        if (!SKIPPED.test(baseOf(entry.path))) {
          found.push(entry);
          if (entry.type === 'directory') {
            folders.push(entry.path);
          }
        }
      }
      if (found.length >= MOST_ENTRIES || this.now() > end) {
        break;
      }
    }
    return found.slice(0, MOST_ENTRIES);
  }

  private at = 0;
  private known: Promise<readonly Entry[]> | null = null;
}

/** How well a name fits: 0 where it, or its last part, begins so; 1 where it holds that; 2 not at all. */
export function fitOf(name: string, query: string): number {
  const [has, wanted] = [name.toLowerCase(), query.toLowerCase()];
  if (has.startsWith(wanted) || baseOf(has).startsWith(wanted)) {
    return 0;
  }
  return has.includes(wanted) ? 1 : 2;
}

/** The best of each group, `most` in all: what one group leaves of its share goes to the others. */
export function fairly<T>(
  groups: readonly (readonly T[])[],
  score: (item: T) => number,
  most: number
): T[] {
  const sorted = groups.map(group =>
    [...group].sort((a, b) => score(a) - score(b))
  );
  const taken = sorted.map(() => 0);
  let left = most;
  while (left > 0 && sorted.some((group, at) => taken[at] < group.length)) {
    sorted.forEach((group, at) => {
      if (left > 0 && taken[at] < group.length) {
        taken[at]++;
        left--;
      }
    });
  }
  return sorted
    .flatMap((group, at) => group.slice(0, taken[at]))
    .sort((a, b) => score(a) - score(b));
}

function baseOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
