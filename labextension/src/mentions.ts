/* What `@` can name: cells, variables and frames of the active notebook, notebooks, files and folders. */

import type { JupyterFrontEnd } from '@jupyterlab/application';
import { PathExt } from '@jupyterlab/coreutils';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import type { Kernel } from '@jupyterlab/services';

import { apiPath, within } from './operations';
import { FileTree, fairly, fitOf, type Entry } from './tree';
import type { ContextItem } from './types';

const MOST = 12;
const KERNEL_MS = 1_500;
const FOLDER_MS = 3_000;
/** How long names of a kernel are kept while somebody types. */
const KEPT_MS = 5_000;
const WORDS_CHARS = 60;

/** Something to attach; `words` are the first ones of a cell, by which it is told from others. */
export interface Mention {
  item: ContextItem;
  words: string;
}

/**
 * Names and kinds of the user's variables, as JSON text. Standard library only, silent, never kept: a name that
 * begins with an underscore, a module or a function is not listed.
 */
const NAMES = `(lambda g: __import__("json").dumps([
  [n, "frame" if type(g[n]).__name__ in ("DataFrame", "LazyFrame", "Table") else "variable"]
  for n in list(g) if not n.startswith("_") and n not in ("In", "Out", "get_ipython", "exit", "quit", "open")
  and type(g[n]).__name__ not in ("module", "function", "type", "builtin_function_or_method")
][:400]))(globals())`.replace(/\n/g, ' ');

export class Mentions {
  constructor(
    private readonly app: JupyterFrontEnd,
    private readonly tracker: INotebookTracker | null
  ) {}

  /** Items that fit what was typed after the `@`, the best first, of each kind some. */
  async find(query: string): Promise<Mention[]> {
    const panel = this.tracker?.currentWidget ?? null;
    const [files, names] = await Promise.all([
      this.files(query).catch(() => []),
      panel ? this.variables(panel).catch(() => []) : []
    ]);
    const score = ({ item, words }: Mention): number =>
      Math.min(fitOf(item.name, query), fitOf(words, query) > 1 ? 2 : 1);
    const known = [names, files].map(items =>
      items.map(item => ({ item, words: '' }))
    );
    const fitting = [cellsOf(panel), ...known].map(group =>
      group.filter(one => score(one) < 2)
    );
    return fairly(fitting, score, MOST);
  }

  /** Those of the root; with letters all below it, and those of the folder that is being typed, as in a shell. */
  private async files(query: string): Promise<ContextItem[]> {
    const folder = query.includes('/') ? PathExt.dirname(query) : '';
    const [near, all] = await Promise.all([
      this.list(folder).catch(() => []),
      query ? this.tree.entries() : []
    ]);
    const shown = near.filter(
      ({ path }) => !PathExt.basename(path).startsWith('.')
    );
    const entries = new Map([...shown, ...all].map(one => [one.path, one]));
    return [...entries.values()]
      .sort((one, other) => one.path.localeCompare(other.path))
      .map(({ path, type }) => fileItem(path, type));
  }

  private async list(folder: string): Promise<Entry[]> {
    const model = await within(
      this.app.serviceManager.contents.get(folder),
      FOLDER_MS
    );
    const entries = model.content as Entry[];
    return entries.map(({ path, type }) => ({ path: apiPath(path), type }));
  }

  private async variables(panel: NotebookPanel): Promise<ContextItem[]> {
    const kernel = panel.sessionContext.session?.kernel;
    if (!kernel || kernel.status !== 'idle') {
      return [];
    }
    const path = apiPath(panel.context.path);
    if (this.known?.path !== path || Date.now() - this.known.at > KEPT_MS) {
      const names = await within(namesIn(kernel), KERNEL_MS);
      this.known = { path, at: Date.now(), names };
    }
    return this.known.names.map(([name, kind]) => ({
      kind,
      path,
      cell_id: '',
      name,
      text: ''
    }));
  }

  private readonly tree = new FileTree(folder => this.list(folder));
  private known: {
    path: string;
    at: number;
    names: [string, 'variable' | 'frame'][];
  } | null = null;
}

/** A file, folder or notebook as a chip. */
export function fileItem(path: string, type: string): ContextItem {
  const kind =
    type === 'directory'
      ? 'folder'
      : path.endsWith('.ipynb')
        ? 'notebook'
        : 'file';
  return { kind, path, cell_id: '', name: path, text: '' };
}

/** Cells and their pictures, the active cell first. */
function cellsOf(panel: NotebookPanel | null): Mention[] {
  if (!panel?.context.model) {
    return [];
  }
  const path = apiPath(panel.context.path);
  const active = panel.content.activeCellIndex;
  const groups = panel.context.model.sharedModel.cells.map((cell, at) => {
    const base = { path, cell_id: cell.id, text: '' };
    const words = firstWords(cell.getSource());
    const name = `cell-${at + 1}`;
    const found: Mention[] = [{ item: { kind: 'cell', ...base, name }, words }];
    const { outputs } = cell.toJSON() as { outputs?: { data?: object }[] };
    const hasPicture = outputs?.some(output =>
      Object.keys(output.data ?? {}).some(mime => mime.startsWith('image/'))
    );
    if (hasPicture) {
      const name = `picture-${at + 1}`;
      found.push({ item: { kind: 'picture', ...base, name }, words });
    }
    return found;
  });
  return [
    ...(groups[active] ?? []),
    ...groups.filter((_, at) => at !== active).flat()
  ];
}

function firstWords(source: string): string {
  const line = source.split('\n').find(one => one.trim()) ?? '';
  return line.trim().slice(0, WORDS_CHARS);
}

async function namesIn(
  kernel: Kernel.IKernelConnection
): Promise<[string, 'variable' | 'frame'][]> {
  const info = await kernel.info;
  if (info.language_info.name !== 'python') {
    return [];
  }
  const reply = await kernel.requestExecute({
    code: '',
    silent: true,
    store_history: false,
    allow_stdin: false,
    user_expressions: { names: NAMES }
  }).done;
  if (reply.content.status !== 'ok') {
    return [];
  }
  const found = reply.content.user_expressions.names as {
    data?: { 'text/plain'?: string };
  };
  const text = found.data?.['text/plain'] ?? '';
  /* The kernel shows a Python text: quotes around JSON that holds none of them. */
  return JSON.parse(text.slice(1, -1).replace(/\\'/g, "'")) as [
    string,
    'variable' | 'frame'
  ][];
}
