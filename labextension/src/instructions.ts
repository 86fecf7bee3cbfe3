/* Instructions, skills and commands in files, as the panel knows them: a state of their own. */

import { Signal, type ISignal } from '@lumino/signaling';

import type { Api } from './api';
import { chipsOf } from './attached';
import { shownPath } from './reduce';
import type { State } from './store';
import type {
  InstructionChoice,
  InstructionFile,
  InstructionText
} from './types';

export interface Known {
  /** As they were last read, in the order in which they are given to models. */
  files: readonly InstructionFile[];
  /** Whether those are shown that nobody has decided about. */
  isOpen: boolean;
}

export class InstructionFiles {
  constructor(private readonly api: Api) {}

  get state(): Known {
    return this.known;
  }

  get files(): readonly InstructionFile[] {
    return this.known.files;
  }

  get changed(): ISignal<this, void> {
    return this.signal;
  }

  show(isOpen: boolean): void {
    this.update({ ...this.known, isOpen });
  }

  /** Read what there is for a chat and a notebook; a server that cannot say now is asked again later. */
  async load(chatId: string, path: string): Promise<void> {
    this.place = { chatId, path };
    let files: InstructionFile[];
    try {
      ({ files } = await this.api.instructionFiles(chatId, path));
    } catch {
      return;
    }
    if (this.place.chatId === chatId && this.place.path === path) {
      const isOpen = this.known.isOpen && files.some(isUndecided);
      this.update({ files, isOpen });
    }
  }

  /** A file's text as it is now; where the list knows another one, the list is read again. */
  async text(path: string): Promise<InstructionText> {
    const found = await this.api.instructionText(path);
    const known = this.files.find(file => file.path === path);
    if (known && known.digest !== found.digest) {
      void this.load(this.place.chatId, this.place.path);
    }
    return found;
  }

  /** Write down whether a file is used; then the list is read again, whatever came of it. */
  async choose(choice: InstructionChoice): Promise<void> {
    try {
      await this.api.chooseInstructions(choice);
    } finally {
      await this.load(this.place.chatId, this.place.path);
    }
  }

  private update(known: Known): void {
    this.known = known;
    this.signal.emit();
  }

  private known: Known = { files: [], isOpen: false };
  private place = { chatId: '', path: '' };
  private readonly signal = new Signal<this, void>(this);
}

/** Whether a person has still to say if it may be used. */
export function isUndecided(file: InstructionFile): boolean {
  return file.state === 'new' || file.state === 'changed';
}

/** The notebook the next message is about: what goes with it, else what went with the newest one. */
export function notebookOf(state: State): string {
  const log = state.logs[state.current ?? ''];
  const sent = log ? [...shownPath(log)].reverse() : [];
  const items = [...chipsOf(state), ...sent.flatMap(one => one.context)];
  return items.find(item => item.path.endsWith('.ipynb'))?.path ?? '';
}
