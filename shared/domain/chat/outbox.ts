import { type CollectionIndexes, type Db, retryDuplicateKey } from '../../kernel/database.ts';
import { joinedKey, keyOf } from '../../kernel/ids.ts';
import { derivedId } from '../../kernel/new-ids.ts';
import type { ChatEvent, ChatMessageDocument, ChatThread, ChatThreadDocument } from './model.ts';
import type { Posted } from './slack.ts';

export const chatIndexes: readonly CollectionIndexes[] = [
  {
    collection: 'chat_messages',
    indexes: [
      {
        name: 'to_send',
        key: { project_id: 1, thread_kind: 1, thread_id: 1, state: 1, rank: 1, created_at: 1, _id: 1 },
      },
      { name: 'by_state', key: { state: 1, created_at: 1 } },
    ],
  },
  { collection: 'chat_threads', indexes: [] },
];

/** Maximum number of messages whose threads are checked per round. */
const ROUND = 200;

export type Outbox = ReturnType<typeof createOutbox>;

/** Messages to post to the chat, and the places of its threads. A message is stored before it is sent. */
export function createOutbox(db: Db) {
  const messages = db.collection<ChatMessageDocument>('chat_messages');
  const threads = db.collection<ChatThreadDocument>('chat_threads');
  const keyOfThread = ({ project_id, kind, id }: ChatThread) => keyOf(project_id, kind, id);

  return {
    /** Stores an event to post; an event that is already stored stays unchanged. */
    async put(thread: ChatThread, { id, kind, message }: ChatEvent): Promise<void> {
      const _id = joinedKey(keyOfThread(thread), id);
      const fields: Omit<ChatMessageDocument, '_id'> = {
        project_id: thread.project_id,
        thread_kind: thread.kind,
        thread_id: thread.id,
        rank: kind === 'root' ? 0 : 1,
        client_msg_id: derivedId(thread.id, `chat/${id}`),
        state: 'pending',
        reason: null,
        message,
        created_at: new Date(),
      };
      await retryDuplicateKey(() => messages.updateOne({ _id }, { $setOnInsert: fields }, { upsert: true }));
    },

    /** The next message to post in a thread. */
    next: ({ project_id, kind, id }: ChatThread): Promise<ChatMessageDocument | null> =>
      messages.findOne(
        { project_id, thread_kind: kind, thread_id: id, state: 'pending' },
        { sort: { rank: 1, created_at: 1, _id: 1 } },
      ),

    /** The place of a thread in the chat; null before its first message. */
    place: (thread: ChatThread): Promise<ChatThreadDocument | null> =>
      threads.findOne({ _id: keyOfThread(thread) }),

    /** Stores the place of a thread in the chat. */
    async notePlace(thread: ChatThread, { channel, ts }: Posted): Promise<void> {
      const fields = { project_id: thread.project_id, channel, ts, created_at: new Date() };
      await retryDuplicateKey(() =>
        threads.updateOne({ _id: keyOfThread(thread) }, { $setOnInsert: fields }, { upsert: true }),
      );
    },

    /** Marks a message as finished, with the reason if it was not sent. */
    async settle(
      _id: string,
      state: 'sent' | 'skipped' | 'failed',
      reason: string | null = null,
    ): Promise<void> {
      await messages.updateOne(
        { _id, state: 'pending' },
        { $set: { state, reason }, $unset: { message: '' } },
      );
    },

    /** Threads with messages pending since before a given time. */
    async waitingSince(before: Date): Promise<ChatThread[]> {
      const found = await messages
        .find(
          { state: 'pending', created_at: { $lt: before } },
          { projection: { project_id: 1, thread_kind: 1, thread_id: 1 } },
        )
        .sort({ created_at: 1 })
        .limit(ROUND)
        .toArray();
      const threads = found.map(({ project_id, thread_kind: kind, thread_id: id }) => ({
        project_id,
        kind,
        id,
      }));
      return [...new Map(threads.map((thread) => [keyOfThread(thread), thread])).values()];
    },
  };
}
