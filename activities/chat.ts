import { ApplicationFailure } from '@temporalio/common';
import { type Chat, ChatAway } from '../shared/domain/chat/index.ts';
import { failureTypes } from '../shared/kernel/engine/failure-types.ts';
import type { ChatActivities } from './contracts/chat.ts';

/** Activities that send messages to the lab's chat. Each is safe to run twice. */
export function createChatActivities({ chat }: { chat: Pick<Chat, 'sendNext'> }): ChatActivities {
  return {
    async sendNextMessage(thread) {
      try {
        return { sent: await chat.sendNext(thread) };
      } catch (thrown) {
        if (!(thrown instanceof ChatAway)) throw thrown;
        const { message, retryAfter } = thrown;
        throw ApplicationFailure.create({
          message,
          type: failureTypes.chatAway,
          ...(retryAfter !== undefined && { nextRetryDelay: retryAfter * 1000 }),
        });
      }
    },
  };
}
