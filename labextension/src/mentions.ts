/* What `@` can name: cells, variables and frames of the active notebook, notebooks, files and folders. */

import type { JupyterFrontEnd } from '@jupyterlab/application';
import { PathExt } from '@jupyterlab/coreutils';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import type { Kernel } from '@jupyterlab/services';

import { apiPath, within } from './operations';
import type { ContextItem } from './types';

const MOST = 12;
const KERNEL_MS = 1_500;
const FOLDER_MS = 3_000;
/** How long names of a kernel are kept while somebody types. */
const KEPT_MS = 5_000;

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

  /** Items that fit what was typed after the `@`, the best first. */
  async find(query: string): Promise<ContextItem[]> {
    const panel = this.tracker?.currentWidget ?? null;
    const [files, names] = await Promise.all([
      this.files(query).catch(() => []),
      panel ? this.variables(panel).catch(() => []) : []
    ]);
    const wanted = query.toLowerCase();
    const score = (item: ContextItem): number => {
      const name = item.name.toLowerCase();
      return name.startsWith(wanted) ? 0 : name.includes(wanted) ? 1 : 2;
    };
    return [...cellsOf(panel), ...names, ...files]
      .filter(item => score(item) < 2)
      .sort((a, b) => score(a) - score(b))
      .slice(0, MOST);
  }

  /** Files and folders by path, as in a shell: what stands before the last slash is the folder. */
  private async files(query: string): Promise<ContextItem[]> {
    const folder = query.includes('/') ? PathExt.dirname(query) : '';
    const model = await within(
      this.app.serviceManager.contents.get(folder),
      FOLDER_MS
    );
    const entries = model.content as { path: string; type: string }[];
    return entries
      .filter(({ path }) => !PathExt.basename(path).startsWith('.'))
      .map(({ path, type }) => fileItem(apiPath(path), type));
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

function cellsOf(panel: NotebookPanel | null): ContextItem[] {
  if (!panel?.context.model) {
    return [];
  }
  const path = apiPath(panel.context.path);
  return panel.context.model.sharedModel.cells.flatMap((cell, at) => {
    const base = { path, cell_id: cell.id, name: `cell-${at + 1}` };
    const items: ContextItem[] = [{ kind: 'cell', ...base, text: '' }];
    const { outputs } = cell.toJSON() as { outputs?: { data?: object }[] };
    const hasPicture = outputs?.some(output =>
      Object.keys(output.data ?? {}).some(mime => mime.startsWith('image/'))
    );
    if (hasPicture) {
      items.push({
        kind: 'picture',
        ...base,
        name: `picture-${at + 1}`,
        text: ''
      });
    }
    return items;
  });
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
