import { CalibronError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { UserStore } from '../accounts/index.ts';

/** Milliseconds after which a mark belongs to a request that died. */
const MARK_LIFETIME = 30_000;

/**
 * Takes an active administrator's rights away, but never the last one's. The leaving administrator is
 * marked first and the others are looked at second: of two who leave at the same moment each sees the
 * other's mark, so that both stay rather than both go.
 * @param leave the change itself, made only while the mark stands; null when it does not any more
 * @throws last_administrator, conflict
 */
export async function leaveAdministration<Left>(
  users: UserStore,
  userId: string,
  leave: (mark: string) => Promise<Left | null>,
): Promise<Left> {
  const mark = newId();
  if (!(await users.markLeaving(userId, mark))) throw changedMeanwhile();
  try {
    if (!(await anotherStays(users, userId))) {
      throw new CalibronError(
        'last_administrator',
        'This is the last active administrator. Make another user administrator first.',
      );
    }
    const left = await leave(mark);
    if (left === null) throw changedMeanwhile();
    return left;
  } finally {
    await users.unmarkLeaving(userId, mark);
  }
}

async function anotherStays(users: UserStore, userId: string): Promise<boolean> {
  const deadline = Date.now() - MARK_LIFETIME;
  for (const { _id, leaving } of await users.activeAdministrators()) {
    if (_id === userId) continue;
    if (!leaving) return true;
    // A request that died leaves its mark; taking it away stops the request in case it only slept.
    if (leaving.at.getTime() < deadline && (await users.unmarkLeaving(_id, leaving.id))) return true;
  }
  return false;
}

export function changedMeanwhile(): CalibronError {
  return new CalibronError('conflict', 'The account was changed at the same moment. Try again.');
}
