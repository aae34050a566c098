import type { CollectionIndexes, Db } from '../../kernel/database.ts';
import { CalibronError } from '../../kernel/errors.ts';
import { keyOf, newId } from '../../kernel/ids.ts';
import { insertNew } from '../../kernel/insert-new.ts';

/** Somebody changes a project outside of a run; a run that begins waits until this is gone or has expired. */
interface LeaseDocument {
  /** `<project_id>/<id>` */
  _id: string;
  project_id: string;
  expires_at: Date;
}

export const leaseIndexes: CollectionIndexes = {
  collection: 'value_leases',
  indexes: [{ name: 'by_project', key: { project_id: 1, expires_at: 1 } }],
};

/**
 * Milliseconds after which a lease of a process that died holds up no run any more. It is renewed before each write,
 * which the driver gives up after half of this.
 */
const LEASE_TIME = 60_000;

/**
 * The right to change a project's values while no run holds it. Who changes them takes a lease and then looks whether
 * the project is free; a run opens its workflow and then looks for leases. So at least one of the two sees the other.
 */
export function createValueLeases(db: Db, leaseTime = LEASE_TIME) {
  const leases = db.collection<LeaseDocument>(leaseIndexes.collection);

  /** @throws conflict when the lease has run out, or would before a write is done */
  async function renew(_id: string): Promise<void> {
    const now = Date.now();
    const { matchedCount } = await leases.updateOne(
      { _id, expires_at: { $gt: new Date(now) } },
      { $set: { expires_at: new Date(now + leaseTime) } },
    );
    if (matchedCount === 0) {
      throw new CalibronError('conflict', 'The change took too long and was left unfinished. Repeat it.');
    }
  }

  return {
    /**
     * Carries out a change under a lease.
     * @param assertFree is asked once the lease stands; what it throws is what the caller gets
     * @param change calls `renew` before it writes, and again before each of many writes
     */
    async hold<T>(
      projectId: string,
      assertFree: () => Promise<void>,
      change: (renew: () => Promise<void>) => Promise<T>,
    ): Promise<T> {
      const _id = keyOf(projectId, newId());
      await insertNew(leases, { _id, project_id: projectId, expires_at: new Date(Date.now() + leaseTime) });
      try {
        await assertFree();
        return await change(() => renew(_id));
      } finally {
        await leases.deleteOne({ _id });
      }
    },

    /** Whether somebody changes values of the project at the moment; clears away what has expired. */
    async areHeld(projectId: string): Promise<boolean> {
      const found = await leases.find({ project_id: projectId }).toArray();
      const now = Date.now();
      const expired = found.filter(({ expires_at }) => expires_at.getTime() <= now);
      if (expired.length > 0) await leases.deleteMany({ _id: { $in: expired.map(({ _id }) => _id) } });
      return found.length > expired.length;
    },
  };
}
