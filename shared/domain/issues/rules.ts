import { CalibronError } from '../../kernel/errors.ts';
import type { Actor } from '../accounts/model.ts';
import type { Written } from '../notifications/index.ts';
import type { Issue, IssueActor, IssueDocument, NewIssue, StoredReply } from './model.ts';

/** The title of a new or changed issue. @throws invalid_input if it is missing */
export function titleOf({ title }: Pick<NewIssue, 'title'>): string {
  if (typeof title === 'string' && title.trim() !== '') return title.trim();
  const given = title === null || title === undefined;
  throw new CalibronError('invalid_input', 'An issue needs a title.', {
    problems: [
      given
        ? { type: 'missing', loc: ['body', 'title'], msg: 'Field required' }
        : { type: 'value_error', loc: ['body', 'title'], msg: 'Input should hold more than white space' },
    ],
  });
}

/** Only its author may change an issue or a reply. @throws forbidden */
export function assertAuthor(
  written: Pick<IssueDocument, 'user_id'> | Pick<StoredReply, 'user_id' | 'asked_by'>,
  actor: Pick<IssueActor, 'user_id'>,
): void {
  const author = 'asked_by' in written ? (written.user_id ?? written.asked_by) : written.user_id;
  if (author === actor.user_id) return;
  throw new CalibronError('forbidden', 'Only its author may do this.');
}

/** @throws forbidden */
export function assertMayClose({ user_id }: Pick<IssueDocument, 'user_id'>, actor: IssueActor): void {
  if (user_id === actor.user_id || actor.isOwner) return;
  throw new CalibronError(
    'forbidden',
    'Only the author of an issue or the owner of the project may do this.',
  );
}

export function unknownIssue(): CalibronError {
  return new CalibronError('not_found', 'There is no such issue in this project.');
}

/** The error for a reply to a reply: only issues accept replies. */
export function replyToReply(): CalibronError {
  return new CalibronError('invalid_input', 'parent_id names a reply; reply to its issue.', {
    problems: [
      { type: 'value_error', loc: ['body', 'parent_id'], msg: 'Input should name an issue, not a reply' },
    ],
  });
}

/** The notification for users mentioned in a text of a thread. */
export function notificationOf(
  thread: Pick<IssueDocument, 'project_id' | 'issue_id' | 'title'>,
  written: Pick<Issue, 'id' | 'title' | 'content'>,
  actor: Actor,
): Written {
  return {
    projectId: thread.project_id,
    actor: { user_id: actor.user_id, username: actor.username },
    event: {
      source_type: 'issue',
      source_id: written.id,
      target_url: `/issues/${thread.issue_id}`,
      where: `the issue “${thread.title}”`,
    },
    text: [written.title ?? '', written.content].join('\n'),
    excerpt: written.content,
  };
}
