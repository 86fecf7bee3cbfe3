/* The actions on what models are given: pins, and condensing a chat now. */

import { Changes } from './changes';
import { InstructionFiles } from './instructions';
import { leafOf } from './reduce';
import type { InstructionFile, InstructionText, Message } from './types';

export class Condensing extends Changes {
  readonly instructionFiles = new InstructionFiles(this.api);

  /** Keep a message word for word in prompts, or let it go; the event tells every tab. */
  async pin(message: Message): Promise<void> {
    await this.guarded(() =>
      this.api.patchMessage(message.chat_id, message.message_id, {
        is_pinned: !message.is_pinned
      })
    );
  }

  /** The person's standing instructions; null when they cannot be had now. */
  async instructions(): Promise<string | null> {
    let text: string | null = null;
    await this.guarded(async () => {
      text = (await this.api.instructions()).text;
    });
    return text;
  }

  /** Whether other instructions hold now. */
  async saveInstructions(text: string): Promise<boolean> {
    return this.guarded(() => this.api.saveInstructions({ text }));
  }

  /** What would be used of a file; null when it cannot be had now. */
  async instructionText(path: string): Promise<InstructionText | null> {
    let text: InstructionText | null = null;
    await this.guarded(async () => {
      text = await this.instructionFiles.text(path);
    });
    return text;
  }

  /** Use the text of that digest or not: wherever this folder is opened, or in one chat. */
  async chooseInstructions(
    { path, digest }: Pick<InstructionFile, 'path' | 'digest'>,
    isUsed: boolean,
    chatId: string
  ): Promise<void> {
    await this.guarded(() =>
      this.instructionFiles.choose({
        path,
        digest,
        is_used: isUsed,
        chat_id: chatId
      })
    );
  }

  /** Let a summary stand for older messages now. */
  async condense(): Promise<void> {
    const { current, logs } = this.store.state;
    const log = logs[current ?? ''];
    const leaf = log && leafOf(log);
    if (!current || !leaf) {
      return;
    }
    this.store.update({ condensing: current });
    await this.guarded(async () => {
      const { summary } = await this.api.condense(current, {
        message_id: leaf
      });
      this.store.update({ nothingOlder: summary ? null : current });
    });
    this.store.update({ condensing: null });
  }
}
