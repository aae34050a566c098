import { CalibronError } from '../../kernel/errors.ts';
import type { ProjectId, UserId } from '../../kernel/ids.ts';
import { newId } from '../../kernel/new-ids.ts';
import { assertRoomWithin } from '../../kernel/quotas.ts';
import type { Projects } from '../projects/index.ts';
import type { Announcing } from './announcing.ts';
import type { Categories } from './categories.ts';
import type {
  NewPost,
  Post,
  PostChange,
  ReplyDocument,
  ThreadDocument,
  ThreadFields,
  ThreadStatus,
} from './model.ts';
import type { FoundPost, Reading } from './reading.ts';
import type { ReplyStore } from './reply-store.ts';
import { type Member, mayEdit, mayFile, unknownPost, wholeTarget, wrongField } from './rules.ts';
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

/** Maximum number of attempts to change a thread while others change it. */
const CHANGE_ATTEMPTS = 20;

/** Author of a post: a user or the language model. */
export interface Author {
  user_id: UserId | null;
  username: string;
}

type Text = Pick<ReplyDocument, 'content' | 'content_blocks'>;

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

  /** The fields of a thread that a change affects. @throws forbidden, invalid_input */
  async function threadChange(
    member: Member,
    thread: ThreadDocument,
    wanted: PostChange,
  ): Promise<Partial<ThreadFields & Text>> {
    const { projectId } = member;
    const filing: Partial<ThreadFields> = {
      ...(wanted.category != null && wanted.category !== thread.category && { category: wanted.category }),
      ...(wanted.labels != null && { labels: wanted.labels }),
      ...(wanted.assignee_username !== undefined && { assignee_username: wanted.assignee_username }),
      ...(wanted.status != null && { status: wanted.status }),
      ...(wanted.cooldown_id !== undefined && { cooldown_id: wanted.cooldown_id?.trim() || null }),
    };
    const { chip_id, target_type, target_id } = wanted;
    if (chip_id !== undefined || target_type !== undefined || target_id !== undefined) {
      Object.assign(
        filing,
        wholeTarget({
          chip_id: chip_id === undefined ? thread.chip_id : chip_id,
          target_type: target_type === undefined ? thread.target_type : target_type,
          target_id: target_id === undefined ? thread.target_id : target_id,
        }),
      );
    }
    const title = wanted.title ?? thread.title;
    if (title === '') throw wrongField('title', 'string_too_short', 'should not be empty');
    const text = { ...textChange(wanted, thread), ...(title !== thread.title && { title }) };
    if (Object.keys(text).length > 0 && !mayEdit(member, thread)) throw forbidden();
    if (!mayFile(member, thread)) throw forbidden();
    if (filing.category !== undefined) await categories.assertOpen(projectId, filing.category);
    if (filing.assignee_username !== thread.assignee_username) {
      await assertAssignable(projectId, filing.assignee_username ?? null);
    }
    return { ...filing, ...text };
  }

  /**
   * Applies a change to the current state of a thread, again if it changes meanwhile. @throws not_found, forbidden,
   * invalid_input, conflict
   */
  async function changeThread(
    member: Member,
    id: string,
    changeOf: (thread: ThreadDocument) => Promise<Partial<ThreadFields & Text>>,
  ): Promise<FoundPost> {
    for (let attempt = 0; attempt < CHANGE_ATTEMPTS; attempt += 1) {
      const before = await threads.find(member.projectId, id);
      if (!before) throw unknownPost();
      const after = await threads.change(before, { ...(await changeOf(before)), updated_at: new Date() });
      if (!after) continue;
      await announcing.changed(member.actor, before, after);
      return { thread: after, reply: null };
    }
    throw new CalibronError('conflict', 'Too many requests change this thread at the moment; try again.');
  }

  async function changeReply(
    member: Member,
    found: FoundPost & { reply: ReplyDocument },
    wanted: PostChange,
  ): Promise<FoundPost> {
    const { reply, thread } = found;
    if (!mayEdit(member, reply)) throw forbidden();
    const change = { ...textChange(wanted, reply), updated_at: new Date() };
    const after = await replies.change(reply, change);
    if (!after) throw unknownPost();
    const changed = { thread, reply: after };
    await announcing.edited(member.actor, changed);
    return changed;
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

    /** Changes the given fields. @throws not_found, forbidden, invalid_input, conflict */
    async change(member: Member, id: string, wanted: PostChange): Promise<Post> {
      const { thread, reply } = await reading.find(member.projectId, id);
      return reading.show(
        reply
          ? await changeReply(member, { thread, reply }, wanted)
          : await changeThread(member, id, (seen) => threadChange(member, seen, wanted)),
      );
    },

    /** Closes or reopens a thread; safe to repeat. @throws not_found also for a reply, forbidden */
    async setStatus(member: Member, id: string, status: ThreadStatus): Promise<void> {
      await changeThread(member, id, async (thread) => {
        if (!mayEdit(member, thread)) throw forbidden();
        return { status };
      });
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

/** The changed parts of a post's text. */
function textChange(wanted: PostChange, before: Text): Partial<Text> {
  const { content, content_blocks } = wanted;
  const isSame = JSON.stringify(content_blocks) === JSON.stringify(before.content_blocks);
  return {
    ...(content != null && content !== before.content && { content }),
    ...(content_blocks != null && !isSame && { content_blocks }),
  };
}

function forbidden(): CalibronError {
  return new CalibronError(
    'forbidden',
    'Only the author of a post and the owner of the project may do this; editors may change what a thread is filed under.',
  );
}
