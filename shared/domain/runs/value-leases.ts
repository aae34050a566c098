import { setTimeout } from 'node:timers/promises';
import type { CollectionIndexes, Db } from '../../kernel/database.ts';
import { CalibronError } from '../../kernel/errors.ts';
import { keyOf, type ProjectId } from '../../kernel/ids.ts';
import { insertNew } from '../../kernel/insert-new.ts';
import { newId } from '../../kernel/new-ids.ts';

/** A change of a project outside of a run is in progress. A new run waits until this lease is deleted or has expired. */
interface LeaseDocument {
  /** `<project_id>/<id>` */
  _id: string;
  project_id: ProjectId;
  /** Chip that is changed; null when the change affects more than one. */
  chip_id?: string | null;
  /** Whether the change removes the chip. No other change of the chip may then be in progress. */
  removes_chip?: boolean;
  expires_at: Date;
}

/** The chip that is changed outside of a run. */
export interface ChangedChip {
  chipId: string;
  /** Whether the chip is removed: the removal waits for changes in progress, and new changes are refused. */
  isRemoved?: boolean;
}

export const leaseIndexes: CollectionIndexes = {
  collection: 'value_leases',
  indexes: [{ name: 'by_project', key: { project_id: 1, expires_at: 1 } }],
};

/**
 * Milliseconds after which the lease of a dead process no longer blocks runs. It is renewed before each write; the driver's
 * timeout for a write is half of this.
 */
const LEASE_TIME = 60_000;

/** Milliseconds for which the removal of a chip waits for changes in progress, and the interval between two checks. */
const WAIT_FOR_CHANGES = 5_000;
const LOOK_EVERY = 50;

/**
 * The right to change a project's values while no run holds it. A change first takes a lease and then checks whether the project
 * is free; a run first opens its workflow and then checks for leases. So at least one of the two sees the other.
 */
export function createValueLeases(db: Db, leaseTime = LEASE_TIME) {
  const leases = db.collection<LeaseDocument>(leaseIndexes.collection);

  /** @throws conflict when the lease has expired */
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

  /** Number of other changes of the chip that are in progress. */
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

  /** Ensures that no change of a chip runs at the same time as its removal. @throws conflict */
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
     * @param assertFree is called once the lease is stored; its error is passed to the caller
     * @param change must call `renew` before it writes, and again before each of many writes
     * @param chip the chip that is changed, so that nothing is written to a chip that is being removed
     * @throws conflict when the chip is being removed
     */
    async hold<T>(
      projectId: ProjectId,
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

    /** Whether a change of the project is in progress. Deletes expired leases. */
    async areHeld(projectId: ProjectId): Promise<boolean> {
      const found = await leases.find({ project_id: projectId }).toArray();
      const now = Date.now();
      const expired = found.filter(({ expires_at }) => expires_at.getTime() <= now);
      if (expired.length > 0) await leases.deleteMany({ _id: { $in: expired.map(({ _id }) => _id) } });
      return found.length > expired.length;
    },
  };
}
