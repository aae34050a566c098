import { CalibronError } from '../../kernel/errors.ts';
import type { ProjectId } from '../../kernel/ids.ts';
import type { Announcing } from './announcing.ts';
import type { Categories } from './categories.ts';
import type { PostChange, ReplyDocument, ThreadDocument, ThreadFields, ThreadStatus } from './model.ts';
import type { FoundPost } from './reading.ts';
import type { ReplyStore } from './reply-store.ts';
import { type Member, mayEdit, mayFile, unknownPost, wholeTarget, wrongField } from './rules.ts';
import type { ThreadStore } from './thread-store.ts';

/** Maximum number of attempts to change a thread while others change it. */
const CHANGE_ATTEMPTS = 20;

/** Text of a post. */
export type Text = Pick<ReplyDocument, 'content' | 'content_blocks'>;

export interface ThreadChangeNeeds {
  threads: Pick<ThreadStore, 'find' | 'change'>;
  replies: Pick<ReplyStore, 'change'>;
  categories: Pick<Categories, 'assertOpen'>;
  announcing: Pick<Announcing, 'changed' | 'edited'>;
  /** @throws invalid_input for a user who may not work in the project */
  assertAssignable(projectId: ProjectId, username: string | null): Promise<void>;
}

/** Changes threads and replies. */
export function createThreadChanges({
  threads,
  replies,
  categories,
  announcing,
  assertAssignable,
}: ThreadChangeNeeds) {
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
    /** Changes the given fields of a post. @throws not_found, forbidden, invalid_input, conflict */
    change(member: Member, { thread, reply }: FoundPost, wanted: PostChange): Promise<FoundPost> {
      if (reply) return changeReply(member, { thread, reply }, wanted);
      return changeThread(member, thread.id, (seen) => threadChange(member, seen, wanted));
    },

    /** Closes or reopens a thread; safe to repeat. @throws not_found also for a reply, forbidden */
    async setStatus(member: Member, id: string, status: ThreadStatus): Promise<void> {
      await changeThread(member, id, async (thread) => {
        if (!mayEdit(member, thread)) throw forbidden();
        return { status };
      });
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
