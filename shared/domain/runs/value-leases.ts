import { setTimeout } from 'node:timers/promises';
import type { CollectionIndexes, Db } from '../../kernel/database.ts';
import { CalibronError } from '../../kernel/errors.ts';
import { keyOf, newId } from '../../kernel/ids.ts';
import { insertNew } from '../../kernel/insert-new.ts';

/** Somebody changes a project outside of a run; a run that begins waits until this is gone or has expired. */
interface LeaseDocument {
  /** `<project_id>/<id>` */
  _id: string;
  project_id: string;
  /** Chip that the change is about; null when it is about more than one. */
  chip_id?: string | null;
  /** Whether the change removes the chip: no other change of it may go on beside this one. */
  removes_chip?: boolean;
  expires_at: Date;
}

/** What a change outside of a run is about. */
export interface ChangedChip {
  chipId: string;
  /** Whether the chip is removed: changes under way are waited for, new ones are refused. */
  isRemoved?: boolean;
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

/** Milliseconds for which the removal of a chip waits for changes under way, and between two looks. */
const WAIT_FOR_CHANGES = 5_000;
const LOOK_EVERY = 50;

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

  /** Other changes of a chip that are under way. */
  async function othersOf(lease: LeaseDocument, filter: { removes_chip?: boolean }): Promise<number> {
    const { _id, project_id, chip_id } = lease;
    return leases.countDocuments({
      project_id,
      expires_at: { $gt: new Date() },
      chip_id,
      ...filter,
      _id: { $ne: _id },
    });
  }

  /** Sees to it that no change of a chip goes on beside its removal. @throws conflict */
  async function assertAlone(lease: LeaseDocument): Promise<void> {
    const { chip_id, removes_chip } = lease;
    if (chip_id == null) return;
    if (!removes_chip) {
      if ((await othersOf(lease, { removes_chip: true })) === 0) return;
      throw new CalibronError('conflict', `The chip ${chip_id} is being deleted; nothing was changed.`);
    }
    const until = Date.now() + WAIT_FOR_CHANGES;
    while ((await othersOf(lease, {})) > 0) {
      if (Date.now() > until) {
        throw new CalibronError(
          'conflict',
          `Values of the chip ${chip_id} are being changed. Delete it again when that is done.`,
        );
      }
      await setTimeout(LOOK_EVERY);
    }
  }

  return {
    /**
     * Carries out a change under a lease.
     * @param assertFree is asked once the lease stands; what it throws is what the caller gets
     * @param change calls `renew` before it writes, and again before each of many writes
     * @param chip the chip that is changed, so that nothing is written to one that is being removed
     * @throws conflict when the chip is being removed
     */
    async hold<T>(
      projectId: string,
      assertFree: () => Promise<void>,
      change: (renew: () => Promise<void>) => Promise<T>,
      chip?: ChangedChip,
    ): Promise<T> {
      const _id = keyOf(projectId, newId());
      const lease: LeaseDocument = {
        _id,
        project_id: projectId,
        chip_id: chip?.chipId ?? null,
        removes_chip: chip?.isRemoved ?? false,
        expires_at: new Date(Date.now() + leaseTime),
      };
      await insertNew(leases, lease);
      try {
        await assertFree();
        await assertAlone(lease);
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
