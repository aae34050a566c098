import { CalibronError } from '../../kernel/errors.ts';
import type { ProjectId, UserId } from '../../kernel/ids.ts';
import { newId } from '../../kernel/new-ids.ts';
import { assertRoomWithin } from '../../kernel/quotas.ts';
import type { Projects } from '../projects/index.ts';
import type { Announcing } from './announcing.ts';
import type { Categories } from './categories.ts';
import type { NewPost, Post, PostChange, ThreadDocument } from './model.ts';
import type { FoundPost, Reading } from './reading.ts';
import type { ReplyStore } from './reply-store.ts';
import { type Member, unknownPost, wholeTarget, wrongField } from './rules.ts';
import { createThreadChanges, type Text } from './thread-changes.ts';
import type { ThreadStore } from './thread-store.ts';

export interface WritingNeeds {
  threads: ThreadStore;
  replies: ReplyStore;
  categories: Categories;
  reading: Reading;
  members: Pick<Projects['members'], 'working'>;
  announcing: Announcing;
  /** Maximum number of threads and replies of a project. */
  limit: number;
}

/** Author of a post: a user or the language model. */
export interface Author {
  user_id: UserId | null;
  username: string;
}

/** Creates, changes and deletes threads and replies. */
export function createWriting(needs: WritingNeeds) {
  const { threads, replies, categories, reading, members, announcing, limit } = needs;

  async function assertRoom(projectId: ProjectId): Promise<void> {
    const counted = await threads.count(projectId);
    assertRoomWithin(
      {
        holder: 'This project',
        things: 'forum posts',
        limit,
        setting: 'FORUM_POSTS_PER_PROJECT',
        remedy: 'Write in the forum of another project',
      },
      counted.threads + counted.replies,
    );
  }

  /** @throws invalid_input for a user who may not work in the project */
  async function assertAssignable(projectId: ProjectId, username: string | null): Promise<void> {
    if (username === null) return;
    const [found] = await members.working(projectId, { usernames: [username] });
    if (!found)
      throw wrongField('assignee_username', 'value_error', 'should be an active member of the project');
  }

  const changes = createThreadChanges({ threads, replies, categories, announcing, assertAssignable });

  const writtenBy = ({ user_id, username }: Author, text: Text) => {
    const at = new Date();
    return {
      id: newId(),
      user_id,
      username,
      ...text,
      is_deleted: false,
      is_ai_reply: user_id === null,
      created_at: at,
      updated_at: at,
    };
  };

  /** Stores a reply. A resolved thread refuses replies of users, but not of the language model. */
  async function insertReply(thread: ThreadDocument, author: Author, text: Text): Promise<FoundPost> {
    const { project_id } = thread;
    await assertRoom(project_id);
    if (author.user_id !== null && !(await threads.beginReply(thread))) {
      if (!(await threads.find(project_id, thread.id))) throw unknownPost();
      throw new CalibronError('conflict', 'This thread is resolved; reopen it, or begin another one.');
    }
    const reply = await replies.insert({ ...writtenBy(author, text), project_id, parent_id: thread.id });
    await threads.noteReply(project_id);
    const found = { thread, reply };
    await announcing.replied(found);
    return found;
  }

  async function createThread(
    { projectId, actor }: Member,
    wanted: NewPost,
    title: string,
  ): Promise<FoundPost> {
    await categories.assertOpen(projectId, wanted.category);
    const assignee_username = wanted.assignee_username ?? null;
    await assertAssignable(projectId, assignee_username);
    await assertRoom(projectId);
    const text = { content: wanted.content, content_blocks: wanted.content_blocks ?? [] };
    const thread = await threads.insert({
      ...writtenBy(actor, text),
      project_id: projectId,
      title,
      category: wanted.category,
      labels: wanted.labels ?? [],
      assignee_username,
      status: wanted.status ?? 'open',
      ...wholeTarget(wanted),
      cooldown_id: wanted.cooldown_id?.trim() || null,
      revision: 0,
    });
    const found = { thread, reply: null };
    await announcing.begun(found);
    return found;
  }

  return {
    /**
     * Starts a thread, or replies to one.
     * @throws invalid_input, not_found for an unknown thread, conflict for a resolved one, quota_exceeded
     */
    async create(member: Member, wanted: NewPost): Promise<Post> {
      const { parent_id, title } = wanted;
      if (parent_id == null) {
        if (!title) throw wrongField('title', 'missing', 'Field required');
        return reading.show(await createThread(member, wanted, title));
      }
      const { thread, reply } = await reading.find(member.projectId, parent_id);
      if (reply) {
        throw wrongField(
          'parent_id',
          'value_error',
          "should be a thread's first post; replies have no replies",
        );
      }
      const text = { content: wanted.content, content_blocks: wanted.content_blocks ?? [] };
      return reading.show(await insertReply(thread, member.actor, text));
    },

    /** Adds an answer of the language model, also to a resolved thread. @throws not_found, quota_exceeded */
    async addAiReply(
      projectId: ProjectId,
      threadId: string,
      username: string,
      content: string,
    ): Promise<Post> {
      const thread = await threads.find(projectId, threadId);
      if (!thread) throw unknownPost();
      const author = { user_id: null, username };
      return reading.show(await insertReply(thread, author, { content, content_blocks: [] }));
    },

    setStatus: changes.setStatus,

    /** Changes the given fields. @throws not_found, forbidden, invalid_input, conflict */
    async change(member: Member, id: string, wanted: PostChange): Promise<Post> {
      const found = await reading.find(member.projectId, id);
      return reading.show(await changes.change(member, found, wanted));
    },

    /**
     * Deletes a post; the first post of a thread with all replies. Allowed for its author, and for the project's owner if the
     * author does not work in the project (any more) or is the language model.
     * @throws not_found, forbidden
     */
    async remove({ projectId, role, actor }: Member, id: string): Promise<void> {
      const { thread, reply } = await reading.find(projectId, id);
      const { user_id } = reply ?? thread;
      if (user_id !== actor.user_id) {
        const [author] = user_id === null ? [] : await members.working(projectId, { userIds: [user_id] });
        if (author || role !== 'owner') {
          throw new CalibronError('forbidden', 'Only its author may delete a post.');
        }
      }
      const removed = reply ? await replies.remove(projectId, id) : await threads.remove(projectId, id);
      if (!removed) throw unknownPost();
    },
  };
}
