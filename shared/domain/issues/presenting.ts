import type { UserId } from '../../kernel/ids.ts';
import type { UserStore } from '../accounts/index.ts';
import type { IssueDocument, StoredReply } from './model.ts';
import { type Avatars, issueOf, replyOf } from './wire.ts';

export type Presenting = ReturnType<typeof createPresenting>;

/** Issues and replies as clients see them, with the pictures of their authors. */
export function createPresenting(users: Pick<UserStore, 'findMany'>) {
  async function avatarsOf(written: readonly { user_id: UserId | null }[]): Promise<Avatars> {
    const ids = new Set(written.flatMap(({ user_id }) => user_id ?? []));
    return new Map((await users.findMany([...ids])).map(({ _id, avatar_key }) => [_id, avatar_key]));
  }

  const shownIssue = async (stored: IssueDocument) => issueOf(stored, await avatarsOf([stored]));

  const shownReply = async (stored: IssueDocument, reply: StoredReply) =>
    replyOf(stored, reply, await avatarsOf([reply]));

  return { avatarsOf, shownIssue, shownReply };
}
