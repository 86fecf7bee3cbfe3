/* The actions on what models are given: pins, and condensing a chat now. */

import { Changes } from './changes';
import { leafOf } from './reduce';
import type { Message } from './types';

export class Condensing extends Changes {
  /** Keep a message word for word in prompts, or let it go; the event tells every tab. */
  async pin(message: Message): Promise<void> {
    await this.guarded(() =>
      this.api.patchMessage(message.chat_id, message.message_id, {
        is_pinned: !message.is_pinned
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
