import { NO_USER, type UserId } from '../../kernel/ids.ts';
import type { Actor } from '../accounts/model.ts';
import type { Chat } from '../chat/index.ts';
import type { Notifications } from '../notifications/index.ts';
import { messageOfReply, messageOfStatus, messageOfThread } from './chat-rules.ts';
import type { ThreadDocument } from './model.ts';
import type { FoundPost } from './reading.ts';

export type Announcing = ReturnType<typeof createAnnouncing>;

/** Announces forum events in inboxes and in the channel of the lab's chat. */
export function createAnnouncing(needs: {
  notifications: Pick<Notifications, 'notify'>;
  chat: Pick<Chat, 'announce'>;
  /** Address of the web client, for links. */
  clientUrl: string;
  environment: string;
}) {
  const { notifications, chat } = needs;

  async function notify(
    actor: Actor,
    { thread, reply }: FoundPost,
    assigned: string | null,
    text = reply ? reply.content : `${thread.title}\n${thread.content}`,
  ): Promise<void> {
    await notifications.notify({
      projectId: thread.project_id,
      actor,
      text,
      excerpt: (reply ?? thread).content,
      event: {
        source_type: 'forum_post',
        source_id: (reply ?? thread).id,
        target_url: `/forum/${thread.id}`,
        where: `#${thread.number} ${thread.title}`,
      },
      assigned: assigned === null ? [] : [assigned],
      replied: reply && thread.user_id ? [thread.user_id] : [],
    });
  }

  const threadOf = ({ project_id, id }: ThreadDocument) =>
    ({ projectId: project_id, thread: { kind: 'forum_post', id } }) as const;

  return {
    /** A thread was started. */
    async begun(found: FoundPost): Promise<void> {
      const { thread } = found;
      // First, so that the thread exists in the chat before a quick reply.
      await chat.announce({
        ...threadOf(thread),
        userId: thread.user_id,
        event: { id: thread.id, kind: 'root', message: messageOfThread(thread, needs) },
      });
      await notify(authorOf(thread), found, thread.assignee_username);
    },

    /** A thread has a new reply; replies of the language model are announced in the chat only. */
    async replied(found: FoundPost & { reply: NonNullable<FoundPost['reply']> }): Promise<void> {
      const { thread, reply } = found;
      if (!reply.is_ai_reply) await notify(authorOf(reply), found, null);
      await chat.announce({
        ...threadOf(thread),
        userId: reply.user_id,
        event: { id: reply.id, kind: 'reply', message: messageOfReply(reply) },
      });
    },

    /** A post was edited: users that it mentions for the first time are notified. */
    edited: (actor: Actor, found: FoundPost) => notify(actor, found, null),

    /** A thread was changed. */
    async changed(actor: Actor, before: ThreadDocument, after: ThreadDocument): Promise<void> {
      const assigned = after.assignee_username === before.assignee_username ? null : after.assignee_username;
      // Unchanged text sends no second notification.
      const text = (['title', 'content'] as const)
        .filter((part) => after[part] !== before[part])
        .map((part) => after[part])
        .join('\n');
      const isEdited = text !== '';
      if (isEdited || assigned !== null) await notify(actor, { thread: after, reply: null }, assigned, text);
      if (after.status === before.status) return;
      await chat.announce({
        ...threadOf(after),
        userId: actor.user_id,
        event: {
          id: `${after.id}/${after.revision}`,
          kind: 'status',
          message: messageOfStatus(actor.username, before.status, after.status),
        },
      });
    },
  };
}

function authorOf({ user_id, username }: { user_id: UserId | null; username: string }): Actor {
  return { user_id: user_id ?? NO_USER, username };
}
