import { CalibronError } from '../../kernel/errors.ts';
import type { UserId } from '../../kernel/ids.ts';
import { newId } from '../../kernel/new-ids.ts';
import type { UserStore } from '../accounts/index.ts';
import { AdministrationError } from './errors.ts';

/** Milliseconds after which a mark is considered left by a dead request. */
const MARK_LIFETIME = 30_000;

/**
 * Removes an active administrator's rights, but never those of the last one. The leaving administrator is marked before the
 * others are checked. If two leave at the same moment, each sees the other's mark, so both stay instead of both leaving.
 * @param leave makes the change, provided that the mark is still set; null when it is not
 * @throws last_administrator, conflict
 */
export async function leaveAdministration<Left>(
  users: UserStore,
  userId: UserId,
  leave: (mark: string) => Promise<Left | null>,
): Promise<Left> {
  const mark = newId();
  if (!(await users.markLeaving(userId, mark))) throw changedMeanwhile();
  try {
    if (!(await anotherStays(users, userId))) {
      throw new AdministrationError(
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

async function anotherStays(users: UserStore, userId: UserId): Promise<boolean> {
  const deadline = Date.now() - MARK_LIFETIME;
  for (const { _id, leaving } of await users.activeAdministrators()) {
    if (_id === userId) continue;
    if (!leaving) return true;
    // A dead request leaves its mark. Removing the mark also stops that request if it was only suspended.
    if (leaving.at.getTime() < deadline && (await users.unmarkLeaving(_id, leaving.id))) return true;
  }
  return false;
}

export function changedMeanwhile(): CalibronError {
  return new CalibronError('conflict', 'The account was changed at the same moment. Try again.');
}
