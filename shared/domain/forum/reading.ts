import { NO_USER, type ProjectId, type UserId } from '../../kernel/ids.ts';
import type { Accounts } from '../accounts/index.ts';
import type { Post, ReplyDocument, ReplyQuery, ThreadDocument, ThreadPage, ThreadQuery } from './model.ts';
import type { ReplyStore } from './reply-store.ts';
import { unknownPost } from './rules.ts';
import type { ThreadStore } from './thread-store.ts';
import { replyOf, threadOf } from './wire.ts';

export interface ReadingNeeds {
  threads: ThreadStore;
  replies: ReplyStore;
  users: Pick<Accounts['users'], 'findMany'>;
}

/** A post with its thread; `reply` is null for the thread's first post. */
export interface FoundPost {
  thread: ThreadDocument;
  reply: ReplyDocument | null;
}

export type Reading = ReturnType<typeof createReading>;

/** Posts as shown to users: with the authors' current pictures, and threads with their number of replies. */
export function createReading({ threads, replies, users }: ReadingNeeds) {
  async function avatarsOf(posts: readonly { user_id: UserId | null }[]) {
    const ids = [...new Set(posts.flatMap(({ user_id }) => user_id ?? []))];
    const found = ids.length === 0 ? [] : await users.findMany(ids);
    return new Map(found.map((user) => [user._id, user.avatar_key]));
  }

  /** A post that is not deleted, in a thread that is not deleted. @throws not_found */
  async function find(projectId: ProjectId, id: string): Promise<FoundPost> {
    const thread = await threads.find(projectId, id);
    if (thread) return { thread, reply: null };
    const reply = await replies.find(projectId, id);
    const above = reply && (await threads.find(projectId, reply.parent_id));
    if (!above) throw unknownPost();
    return { thread: above, reply };
  }

  /** Converts a post to the API's format. */
  async function show({ thread, reply }: FoundPost): Promise<Post> {
    const avatars = await avatarsOf([reply ?? thread]);
    const avatar = avatars.get((reply ?? thread).user_id ?? NO_USER) ?? null;
    if (reply) return replyOf(reply, thread, avatar);
    const counted = await replies.count(thread.project_id, [thread.id]);
    return threadOf(thread, avatar, counted.get(thread.id) ?? 0);
  }

  return {
    find,
    show,

    /** @throws not_found */
    read: async (projectId: ProjectId, id: string): Promise<Post> => show(await find(projectId, id)),

    /** A page of the forum, the newest threads first. */
    async list(projectId: ProjectId, query: ThreadQuery): Promise<ThreadPage> {
      const { threads: found, total } = await threads.page(projectId, query);
      const ids = found.map(({ id }) => id);
      const [avatars, counted] = await Promise.all([
        avatarsOf(found),
        ids.length === 0 ? new Map<string, number>() : replies.count(projectId, ids),
      ]);
      const posts = found.map((thread) =>
        threadOf(thread, avatars.get(thread.user_id ?? NO_USER) ?? null, counted.get(thread.id) ?? 0),
      );
      return { posts, total, skip: query.skip, limit: query.limit };
    },

    /** Replies of a thread, oldest first. @throws not_found */
    async replies(projectId: ProjectId, threadId: string, page: ReplyQuery): Promise<Post[]> {
      const thread = await threads.find(projectId, threadId);
      if (!thread) throw unknownPost();
      const found = await replies.page(projectId, threadId, page);
      const avatars = await avatarsOf(found);
      return found.map((reply) => replyOf(reply, thread, avatars.get(reply.user_id ?? NO_USER) ?? null));
    },
  };
}
