import type { Logger } from '../../kernel/log.ts';
import type { ChatThread } from './model.ts';
import type { Outbox } from './outbox.ts';
import { GIVE_UP_AFTER, postedMessage } from './rules.ts';
import { ChatAway, ChatRefusal, type Slack } from './slack.ts';

export interface Delivering {
  outbox: Outbox;
  /** Null if this process has no access to a chat. */
  slack: Slack | null;
  channel: string | undefined;
  log: Logger;
}

/** Sends the pending messages of the outbox. */
export function createDelivery({ outbox, slack, channel, log }: Delivering) {
  async function giveUp(_id: string, reason: string): Promise<void> {
    log.warn({ chat_message: _id, reason }, 'a message to the chat was not sent');
    await outbox.settle(_id, 'failed', reason);
  }

  return {
    /**
     * Sends the next message of a thread. Safe to repeat: the chat recognizes a message by its id, and the message is marked as
     * sent last.
     * @returns false when nothing is pending
     * @throws ChatAway
     */
    async sendNext(thread: ChatThread): Promise<boolean> {
      const next = await outbox.next(thread);
      if (!next) return false;
      const { _id, rank, client_msg_id, message, created_at } = next;
      if (!message || Date.now() - created_at.getTime() > GIVE_UP_AFTER) {
        await giveUp(_id, 'The chat was away for too long.');
        return true;
      }
      if (!slack || !channel) throw new ChatAway('This worker has no SLACK_TOKEN or no SLACK_CHANNEL.');
      const place = await outbox.place(thread);
      if (rank > 0 && !place) {
        await outbox.settle(_id, 'skipped', 'Its thread was not begun in the chat.');
        return true;
      }
      try {
        const sent = await slack.post({
          ...postedMessage(message),
          client_msg_id,
          channel: place?.channel ?? channel,
          ...(rank > 0 && place && { thread_ts: place.ts }),
        });
        if (rank === 0) await outbox.notePlace(thread, sent);
      } catch (thrown) {
        if (!(thrown instanceof ChatRefusal)) throw thrown;
        await giveUp(_id, `The chat refused it: ${thrown.message}.`);
        return true;
      }
      await outbox.settle(_id, 'sent');
      return true;
    },
  };
}
