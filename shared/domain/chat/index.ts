import { defineArea, type Kernel } from '../../kernel/area.ts';
import type { ProjectId, UserId } from '../../kernel/ids.ts';
import { createDelivery } from './delivery.ts';
import type { ChatEvent, ChatThread } from './model.ts';
import { chatIndexes, createOutbox } from './outbox.ts';
import type { ChatSettings } from './settings.ts';
import { createSlack } from './slack.ts';
import { wakeDelivery } from './waking.ts';

export { ChatAway } from './slack.ts';

/** Milliseconds after which pending messages are checked again, in case no delivery was woken for them. */
const OVERLOOKED = 60_000;

export type Chat = ReturnType<typeof chat.create>;

/** Posts to a channel of the lab's chat: one message per thread, and what follows as replies to it. */
export const chat = defineArea({
  name: 'chat',
  indexes: chatIndexes,
  create({ db, engine, settings, log }: Kernel<ChatSettings>) {
    const { SLACK_TOKEN: token, SLACK_CHANNEL: channel, SLACK_API_URL: apiUrl } = settings;
    const outbox = createOutbox(db);
    const slack = token ? createSlack({ token, apiUrl }) : null;
    const isOn = slack !== null && channel !== undefined;
    let failures = 0;

    return {
      /**
       * Queues an event of a thread for the chat. It is posted once and in order, however long the chat is unavailable. Call it
       * after the write: a failure is logged and counted, never thrown. Does nothing if no chat is configured.
       */
      async announce(given: {
        projectId: ProjectId;
        thread: Omit<ChatThread, 'project_id'>;
        event: ChatEvent;
        /** The user whose share of the engine's queues the delivery uses. */
        userId: UserId | null;
      }): Promise<void> {
        if (!isOn) return;
        const thread = { ...given.thread, project_id: given.projectId };
        try {
          await outbox.put(thread, given.event);
        } catch (thrown) {
          failures += 1;
          log.error({ err: thrown, thread: thread.id }, 'a message to the chat was not kept');
          return;
        }
        // The caller does not wait for the engine; the next round finds pending messages as well.
        wakeDelivery(engine, thread, given.userId).catch((thrown) =>
          log.warn({ err: thrown, thread: thread.id }, 'a message to the chat waits for the engine'),
        );
      },

      /** Wakes the delivery of messages pending since before a given time, by default for a minute. */
      async resume(before = new Date(Date.now() - OVERLOOKED)): Promise<void> {
        if (!isOn) return;
        for (const thread of await outbox.waitingSince(before)) await wakeDelivery(engine, thread, null);
      },

      /** Number of messages since the start of the process that were lost before they could be stored. */
      failures: () => failures,

      ...createDelivery({ outbox, slack, channel, log }),
    };
  },
});
