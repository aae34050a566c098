import { type CollectionIndexes, type Db, isDuplicateKey } from '../../kernel/database.ts';
import { CalibronError } from '../../kernel/errors.ts';
import { joinedKey, type UserId } from '../../kernel/ids.ts';
import { insertNew } from '../../kernel/insert-new.ts';
import { newId } from '../../kernel/new-ids.ts';
import { assertRoomWithin } from '../../kernel/quotas.ts';
import { repeatLost } from '../../kernel/repeat-lost.ts';
import {
  CHAT_LIMITS,
  type ChatSession,
  type ChatSessionChange,
  type ChatSessionDocument,
  type ChatSessionItem,
  type NewChatMessage,
  type NewChatSession,
  type StoredMessage,
} from './model.ts';
import { chatSessionItemOf, chatSessionOf } from './wire.ts';

export const chatSessionIndexes: CollectionIndexes = {
  collection: 'chat_sessions',
  indexes: [{ name: 'by_update', key: { user_id: 1, updated_at: -1, session_id: 1 } }],
};

/** Conversations of users with the assistant, private to each user. */
export function createChatSessionStore(db: Db, perUser: number) {
  const sessions = db.collection<ChatSessionDocument>(chatSessionIndexes.collection);

  return {
    /** The sessions of a user, most recently used first, without their messages. */
    async list(
      userId: UserId,
      { skip, limit }: { skip: number; limit: number },
    ): Promise<{ sessions: ChatSessionItem[] }> {
      const found = await sessions
        .find({ user_id: userId })
        .project<Omit<ChatSessionDocument, 'messages'>>({ messages: 0 })
        .sort({ updated_at: -1, session_id: 1 })
        .skip(skip)
        .limit(limit)
        .toArray();
      return { sessions: found.map(chatSessionItemOf) };
    },

    /** @throws conflict for an id that the user has already used, quota_exceeded, too_large */
    async create(userId: UserId, wanted: NewChatSession): Promise<ChatSession> {
      assertRoomWithin(
        { holder: 'You', things: 'chat sessions', limit: perUser, setting: 'CHAT_SESSIONS_PER_USER' },
        await sessions.countDocuments({ user_id: userId }),
      );
      const now = new Date();
      const document: ChatSessionDocument = {
        _id: joinedKey(userId, wanted.session_id),
        user_id: userId,
        session_id: wanted.session_id,
        title: wanted.title ?? 'New Chat',
        context: wanted.context ?? null,
        ...storedMessages(wanted.messages ?? [], now),
        created_at: now,
        updated_at: now,
      };
      try {
        await insertNew(sessions, document);
      } catch (thrown) {
        if (!isDuplicateKey(thrown)) throw thrown;
        throw new CalibronError('conflict', 'You have a chat session of this id; choose another one.');
      }
      return chatSessionOf(document);
    },

    /** @throws not_found, also for another user's session */
    async read(userId: UserId, sessionId: string): Promise<ChatSession> {
      return chatSessionOf(known(await sessions.findOne({ _id: joinedKey(userId, sessionId) })));
    },

    /** Changes the given fields. @throws not_found, too_large */
    async change(userId: UserId, sessionId: string, wanted: ChatSessionChange): Promise<ChatSession> {
      const now = new Date();
      const { title, context, messages } = wanted;
      const changed = await sessions.findOneAndUpdate(
        { _id: joinedKey(userId, sessionId) },
        {
          $set: {
            ...(typeof title === 'string' && { title }),
            ...(context && { context }),
            ...(messages && storedMessages(messages, now)),
            updated_at: now,
          },
        },
        { returnDocument: 'after' },
      );
      return chatSessionOf(known(changed));
    },

    /** Appends messages; concurrent writers do not lose any. @throws not_found, too_large for a full session */
    async append(userId: UserId, sessionId: string, added: readonly NewChatMessage[]): Promise<ChatSession> {
      const now = new Date();
      const { messages, message_count, bytes } = storedMessages(added, now);
      const _id = joinedKey(userId, sessionId);
      const append_id = newId();
      const changed = await repeatLost(async () => {
        const after = await sessions.findOneAndUpdate(
          {
            _id,
            message_count: { $lte: CHAT_LIMITS.messages - message_count },
            bytes: { $lte: CHAT_LIMITS.bytes - bytes },
            'messages.append_id': { $ne: append_id },
          },
          {
            $push: { messages: { $each: messages.map((each) => ({ ...each, append_id })) } },
            $inc: { message_count, bytes },
            $set: { updated_at: now },
          },
          { returnDocument: 'after' },
        );
        return after ?? sessions.findOne({ _id, 'messages.append_id': append_id });
      });
      if (changed) return chatSessionOf(changed);
      known(await sessions.findOne({ _id }));
      throw full();
    },

    /** @throws not_found */
    async remove(userId: UserId, sessionId: string): Promise<void> {
      const removed = await sessions.deleteOne({ _id: joinedKey(userId, sessionId) });
      if (removed.deletedCount === 0) throw unknownSession();
    },

    /** Removes all sessions of a user. */
    async removeOf(userId: UserId): Promise<void> {
      await sessions.deleteMany({ user_id: userId });
    },
  };
}

/** Converts messages to the stored format. @throws too_large */
function storedMessages(
  given: readonly NewChatMessage[],
  now: Date,
): Pick<ChatSessionDocument, 'messages' | 'message_count' | 'bytes'> {
  const messages = given.map(
    ({ role, content, attached_image, created_at }): StoredMessage => ({
      role,
      content,
      attached_image: attached_image ?? null,
      created_at: created_at ?? now,
    }),
  );
  const bytes = messages.reduce((sum, each) => sum + Buffer.byteLength(JSON.stringify(each)), 0);
  if (bytes > CHAT_LIMITS.bytes) throw full();
  return { messages, message_count: messages.length, bytes };
}

function full(): CalibronError {
  const mebibytes = CHAT_LIMITS.bytes / 1024 / 1024;
  return new CalibronError(
    'too_large',
    `A chat session holds at most ${CHAT_LIMITS.messages} messages and ${mebibytes} MiB; begin another one.`,
  );
}

function unknownSession(): CalibronError {
  return new CalibronError('not_found', 'You have no chat session of this id.');
}

function known(found: ChatSessionDocument | null): ChatSessionDocument {
  if (!found) throw unknownSession();
  return found;
}
