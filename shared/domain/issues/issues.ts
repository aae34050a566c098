import { randomBytes } from 'node:crypto';
import { CalibronError } from '../../kernel/errors.ts';
import { keyOf, type ProjectId, type TaskId, type UserId } from '../../kernel/ids.ts';
import { assertRoomWithin } from '../../kernel/quotas.ts';
import type { KernelSettings } from '../../kernel/settings.ts';
import type { UserStore } from '../accounts/index.ts';
import type { Chat } from '../chat/index.ts';
import type { ChatEvent } from '../chat/model.ts';
import type { Notifications } from '../notifications/index.ts';
import { AI_NAME } from '../notifications/rules.ts';
import type { TaskResultStore } from '../results/index.ts';
import type { TaskResultDocument } from '../results/model.ts';
import { messageOfIssue, messageOfIssueReply, messageOfState } from './chat-rules.ts';
import type {
  Issue,
  IssueActor,
  IssueChange,
  IssueDocument,
  IssueList,
  IssueQuery,
  NewIssue,
  StoredReply,
  WrittenQuery,
} from './model.ts';
import { assertAuthor, assertMayClose, replyToReply, titleOf, toldOf, unknownIssue } from './rules.ts';
import type { IssueSettings } from './settings.ts';
import type { IssueStore } from './store.ts';
import { type Avatars, inOrder, issueOf, replyOf } from './wire.ts';

/** The user name of a language model's replies. */
const MODEL_USERNAME = AI_NAME;

export interface IssueDependencies {
  store: IssueStore;
  results: Pick<TaskResultStore, 'get'>;
  users: Pick<UserStore, 'findMany'>;
  tell: Notifications['tell'];
  announce: Chat['announce'];
  settings: IssueSettings & Pick<KernelSettings, 'CLIENT_URL' | 'CALIBRON_ENV'>;
}

/** Discussions about task results. */
export function createIssues({ store, results, users, tell, announce, settings }: IssueDependencies) {
  async function avatarsOf(written: readonly { user_id: UserId | null }[]): Promise<Avatars> {
    const ids = new Set(written.flatMap(({ user_id }) => user_id ?? []));
    return new Map((await users.findMany([...ids])).map(({ _id, avatar_key }) => [_id, avatar_key]));
  }

  const shownIssue = async (stored: IssueDocument) => issueOf(stored, await avatarsOf([stored]));
  const shownReply = async (stored: IssueDocument, reply: StoredReply) =>
    replyOf(stored, reply, await avatarsOf([reply]));

  async function mustFind(projectId: ProjectId, issueId: string): Promise<IssueDocument> {
    return known(await store.find(projectId, issueId));
  }

  /** The thread of an id, and the reply if the id is that of a reply. @throws not_found */
  async function mustFindThread(projectId: ProjectId, id: string) {
    const thread = known(await store.findThread(projectId, id));
    return { thread, reply: thread.issue_id === id ? null : replyIn(thread, id) };
  }

  /** Announces an event of a thread, caused by a user, in the lab's chat. */
  function announceIn(
    { project_id, issue_id }: IssueDocument,
    event: ChatEvent,
    userId: UserId | null,
  ): Promise<void> {
    return announce({ projectId: project_id, thread: { kind: 'issue', id: issue_id }, event, userId });
  }

  /** Notifies the users mentioned in a text. @returns the text's issue or reply */
  async function notifyMentioned(thread: IssueDocument, written: Issue, actor: IssueActor): Promise<Issue> {
    await tell(toldOf(thread, written, actor));
    return written;
  }

  async function addReply(
    projectId: ProjectId,
    thread: IssueDocument,
    reply: StoredReply,
    evenClosed: boolean,
  ): Promise<Issue> {
    const limit = settings.REPLIES_PER_ISSUE;
    const after = await store.addReply(thread, reply, { limit, evenClosed });
    if (after) {
      const kept = await shownReply(after, reply);
      await announceIn(
        after,
        { id: kept.id, kind: 'reply', message: messageOfIssueReply(kept) },
        reply.user_id,
      );
      return kept;
    }
    const now = await mustFind(projectId, thread.issue_id);
    if (now.is_closed && !evenClosed) {
      throw new CalibronError('conflict', 'This issue is closed; reopen it to reply.');
    }
    assertRoomWithin(
      {
        holder: 'This issue',
        things: 'replies',
        limit,
        setting: 'REPLIES_PER_ISSUE',
        remedy: 'Open another one',
      },
      now.reply_count,
    );
    throw new CalibronError('conflict', 'The issue was changed in the meantime; try again.');
  }

  async function reply(
    projectId: ProjectId,
    { taskId, parentId, content }: { taskId: TaskId; parentId: string; content: string },
    actor: IssueActor,
  ): Promise<Issue> {
    const thread = await store.findThread(projectId, parentId);
    if (!thread || thread.task_id !== taskId) {
      throw new CalibronError('not_found', 'There is no such issue on this task result to reply to.');
    }
    if (thread.issue_id !== parentId) throw replyToReply();
    const written = newReply({ user_id: actor.user_id, username: actor.username, content });
    const kept = await addReply(projectId, thread, written, false);
    await tell({ ...toldOf(thread, kept, actor), replied: [thread.user_id] });
    return kept;
  }

  async function open(task: TaskResultDocument, wanted: NewIssue, actor: IssueActor): Promise<Issue> {
    const { project_id: projectId, task_id: taskId } = task;
    const title = titleOf(wanted);
    assertRoomWithin(
      {
        holder: 'This task result',
        things: 'issues',
        limit: settings.ISSUES_PER_RESULT,
        setting: 'ISSUES_PER_RESULT',
      },
      await store.countOfTask(projectId, taskId),
    );
    const now = new Date();
    const issue_id = newIssueId();
    const document: IssueDocument = {
      _id: keyOf(projectId, issue_id),
      project_id: projectId,
      issue_id,
      task_id: taskId,
      user_id: actor.user_id,
      username: actor.username,
      title,
      content: wanted.content,
      is_closed: false,
      reply_count: 0,
      replies: [],
      created_at: now,
      updated_at: now,
    };
    await store.insert(document);
    const place = { clientUrl: settings.CLIENT_URL, environment: settings.CALIBRON_ENV };
    const message = messageOfIssue(document, task, place);
    await announceIn(document, { id: issue_id, kind: 'root', message }, actor.user_id);
    return notifyMentioned(document, await shownIssue(document), actor);
  }

  return {
    /** Issues of a project, newest first. */
    async list(projectId: ProjectId, query: IssueQuery): Promise<IssueList> {
      const { found, total } = await store.list(projectId, query);
      const avatars = await avatarsOf(found);
      return {
        issues: found.map((each) => issueOf(each, avatars)),
        total,
        skip: query.skip,
        limit: query.limit,
      };
    },

    /** A page of the issues on a task result and of all replies to them, oldest first. @throws not_found for an unknown result */
    async ofTask(projectId: ProjectId, taskId: TaskId, page: WrittenQuery): Promise<Issue[]> {
      const { ids, threads } = await store.writtenOn(projectId, taskId, page);
      if (ids.length === 0) await mustFindTask(results, projectId, taskId);
      const avatars = await avatarsOf(threads.flatMap((each) => [each, ...each.replies]));
      const shown = new Map<string, Issue>();
      for (const each of threads) {
        shown.set(each.issue_id, { ...issueOf(each, avatars), reply_count: 0 });
        for (const one of each.replies) shown.set(one.issue_id, replyOf(each, one, avatars));
      }
      return ids.flatMap((id) => shown.get(id) ?? []);
    },

    /**
     * Opens an issue on a task result, or replies to one.
     * @throws not_found for an unknown result or parent, conflict for a closed parent, invalid_input without a title or
     *   if the parent is a reply, quota_exceeded
     */
    async create(projectId: ProjectId, taskId: TaskId, wanted: NewIssue, actor: IssueActor): Promise<Issue> {
      const task = await mustFindTask(results, projectId, taskId);
      const { parent_id: parentId, content } = wanted;
      if (typeof parentId === 'string') return reply(projectId, { taskId, parentId, content }, actor);
      return open(task, wanted, actor);
    },

    /** An issue or a reply. @throws not_found */
    async read(projectId: ProjectId, id: string): Promise<Issue> {
      const { thread, reply: found } = await mustFindThread(projectId, id);
      return found ? shownReply(thread, found) : shownIssue(thread);
    },

    /** The replies to an issue, oldest first. @throws not_found, also for the id of a reply */
    async replies(projectId: ProjectId, issueId: string): Promise<Issue[]> {
      const thread = await mustFind(projectId, issueId);
      const avatars = await avatarsOf(thread.replies);
      return inOrder(thread.replies).map((each) => replyOf(thread, each, avatars));
    },

    /** An issue with its replies as stored. @throws not_found, also for the id of a reply */
    thread: mustFind,

    /** As {@link thread}, but the id of a reply finds the issue that contains it. @throws not_found */
    threadOf: async (projectId: ProjectId, id: string): Promise<IssueDocument> =>
      (await mustFindThread(projectId, id)).thread,

    /** Changes an issue or a reply. @throws not_found, forbidden, invalid_input for a blank title */
    async change(
      projectId: ProjectId,
      id: string,
      { title, content }: IssueChange,
      actor: IssueActor,
    ): Promise<Issue> {
      const { thread, reply: found } = await mustFindThread(projectId, id);
      assertAuthor(found ?? thread, actor);
      if (found?.is_ai_reply) {
        throw new CalibronError(
          'forbidden',
          'What the language model wrote is not changed; delete it instead.',
        );
      }
      const updated_at = new Date();
      if (found) {
        const after = known(await store.changeReply(thread, id, { content, updated_at }));
        return notifyMentioned(after, await shownReply(after, replyIn(after, id)), actor);
      }
      const fields = { content, updated_at, ...(typeof title === 'string' && { title: titleOf({ title }) }) };
      const after = known(await store.change(thread, fields));
      return notifyMentioned(after, await shownIssue(after), actor);
    },

    /** Deletes a reply, or an issue with all of its replies. @throws not_found, forbidden */
    async remove(projectId: ProjectId, id: string, actor: IssueActor): Promise<void> {
      const { thread, reply: found } = await mustFindThread(projectId, id);
      assertAuthor(found ?? thread, actor);
      const removed = found ? await store.removeReply(thread, id) : await store.remove(thread);
      if (!removed) throw unknownIssue();
    },

    /** Closes or reopens an issue. @throws not_found, forbidden */
    async setClosed(
      projectId: ProjectId,
      issueId: string,
      isClosed: boolean,
      actor: IssueActor,
    ): Promise<void> {
      const thread = await mustFind(projectId, issueId);
      assertMayClose(thread, actor);
      const after = await store.setClosed(thread, isClosed);
      if (!after) return;
      const id = `${issueId}/${isClosed ? 'closed' : 'open'}-${after.updated_at.getTime()}`;
      const message = messageOfState(actor.username, isClosed);
      await announceIn(after, { id, kind: 'status', message }, actor.user_id);
    },

    /** Stores a language model's reply, also in a closed issue. @throws not_found, quota_exceeded */
    async addModelReply(
      projectId: ProjectId,
      issueId: string,
      content: string,
      askedBy: Pick<IssueActor, 'user_id'>,
    ): Promise<Issue> {
      const thread = await mustFind(projectId, issueId);
      const written = newReply({ user_id: null, username: MODEL_USERNAME, content });
      const model = { ...written, is_ai_reply: true, asked_by: askedBy.user_id };
      return addReply(projectId, thread, model, true);
    },
  };
}

/** Same form as the ids that clients know: 24 hexadecimal digits. */
function newIssueId(): string {
  return randomBytes(12).toString('hex');
}

function newReply(written: Pick<StoredReply, 'user_id' | 'username' | 'content'>): StoredReply {
  const now = new Date();
  return {
    issue_id: newIssueId(),
    ...written,
    is_ai_reply: false,
    asked_by: null,
    created_at: now,
    updated_at: now,
  };
}

function replyIn(thread: IssueDocument, replyId: string): StoredReply {
  const found = thread.replies.find(({ issue_id }) => issue_id === replyId);
  if (!found) throw unknownIssue();
  return found;
}

function known(found: IssueDocument | null): IssueDocument {
  if (!found) throw unknownIssue();
  return found;
}

async function mustFindTask(
  results: Pick<TaskResultStore, 'get'>,
  projectId: ProjectId,
  taskId: TaskId,
): Promise<TaskResultDocument> {
  const found = await results.get(projectId, taskId);
  if (!found) throw new CalibronError('not_found', 'There is no such task result in this project.');
  return found;
}
