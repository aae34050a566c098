import { LRUCache } from 'lru-cache';
import { CalibronError } from '../../kernel/errors.ts';

/** The period in milliseconds, from the first such invite. */
const PERIOD = 3_600_000;
/** Number of inviters to remember. */
const REMEMBERED = 10_000;

/**
 * Limits invites of usernames with whom the inviter shares no project, so that guessing does not reveal which accounts exist. An
 * existing account counts as much as an unknown username, so the limit does not reveal the account either.
 * @param limit invites that a user may make within an hour
 */
export function createStrangerInvites(limit: number, now: () => number = () => performance.now()) {
  const counts = new LRUCache<string, number>({
    max: REMEMBERED,
    ttl: PERIOD,
    noUpdateTTL: true,
    perf: { now },
    ttlResolution: 0,
  });
  return {
    /** Counts an invite. @throws too_many_requests */
    count(inviterId: string): void {
      const before = counts.get(inviterId) ?? 0;
      if (before >= limit) {
        throw new CalibronError(
          'too_many_requests',
          `You have invited ${limit} users with whom you share no project, within an hour. Wait, or ask a system administrator to add the others.`,
          { retryAfter: Math.ceil(counts.getRemainingTTL(inviterId) / 1000) },
        );
      }
      counts.set(inviterId, before + 1);
    },
  };
}
