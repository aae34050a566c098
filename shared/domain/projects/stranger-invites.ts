import { LRUCache } from 'lru-cache';
import { CalibronError } from '../../kernel/errors.ts';

/** Invites of unknown usernames that a user may make within the period. */
const LIMIT = 20;
/** The period in milliseconds, from the first such invite. */
const PERIOD = 3_600_000;
/** Number of inviters to remember. */
const REMEMBERED = 10_000;

/**
 * Limits invites of unknown usernames, so that nobody finds out by guessing which accounts exist. An invite of an existing
 * account is visible to its user, in the project and in the audit trail.
 */
export function createUnknownInvites(now: () => number = () => performance.now()) {
  const counts = new LRUCache<string, number>({
    max: REMEMBERED,
    ttl: PERIOD,
    noUpdateTTL: true,
    perf: { now },
    ttlResolution: 0,
  });
  return {
    /** Checks before the account is looked up, so that the refusal says nothing about it. @throws too_many_requests */
    assertFew(inviterId: string): void {
      if ((counts.get(inviterId) ?? 0) < LIMIT) return;
      throw new CalibronError(
        'too_many_requests',
        `You have invited ${LIMIT} users who do not exist. Ask a system administrator for the right usernames, or wait.`,
        { retryAfter: Math.ceil(counts.getRemainingTTL(inviterId) / 1000) },
      );
    },

    note(inviterId: string): void {
      counts.set(inviterId, (counts.get(inviterId) ?? 0) + 1);
    },
  };
}
