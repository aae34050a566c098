import type { Db } from 'mongodb';
import { coalesced } from '../../kernel/coalesced-reads.ts';
import { type CollectionIndexes, retryDuplicateKey } from '../../kernel/database.ts';
import type { ProjectId } from '../../kernel/ids.ts';
import type { Holder } from './holder.ts';
import type { HeldRun } from './run-model.ts';

/** The project's lock as a projection of the engine: `_id` is the project id. */
export interface LockDocument extends Holder {
  _id: ProjectId;
  epoch: number;
  /** `abandoned`: the run ended while some of its stages may still measure. It may no longer write, and the next holder waits. */
  state: 'held' | 'free' | 'abandoned';
  /** Index of the holder's last command plus one. Used to find its stages after a terminate. */
  stages: number;
  /** Seconds without a heartbeat after which a worker of this holder counts as dead. */
  heartbeat_timeout?: number;
  /**
   * The execution that may take the lock while the workflow of `execution_id` still holds the project, which then takes it back.
   * The state is `free`, so that neither of them may write before it has the lock.
   */
  lent_to?: string | null;
  /** For an abandoned lock: when stages that are still open are terminated. */
  end_by?: Date | null;
  updated_at: Date;
}

export const lockIndexes: CollectionIndexes = {
  collection: 'execution_locks',
  indexes: [{ name: 'by_state', key: { state: 1, _id: 1 } }],
};

export type LockStore = ReturnType<typeof createLockStore>;

/**
 * The stored lock of each project: a projection of the workflow that holds it, never the authority.
 * Its `epoch` fences writes: it rises with each holder and never falls.
 */
export function createLockStore(db: Db) {
  const locks = db.collection<LockDocument>(lockIndexes.collection);
  return {
    get: coalesced((ids: readonly ProjectId[]) => locks.find({ _id: { $in: [...ids] } }).toArray()),

    /** Epoch of the project's last holder, null before its first. */
    async lastEpoch(projectId: ProjectId): Promise<number | null> {
      return (await locks.findOne({ _id: projectId }))?.epoch ?? null;
    },

    /**
     * Takes the lock for a holder if it has not changed since `seen` (null: never taken).
     * @param terms `heartbeat_timeout`: seconds, the longest of the holder's measurements; `stages`: of its stages, how many may
     *   have begun before
     * @returns the new epoch, or null when another process came first.
     */
    async take(
      projectId: ProjectId,
      seen: LockDocument | null,
      holder: Holder,
      { heartbeat_timeout, stages }: { heartbeat_timeout: number; stages: number },
    ): Promise<number | null> {
      const epoch = (seen?.epoch ?? 0) + 1;
      const fields = {
        ...holder,
        heartbeat_timeout,
        epoch,
        state: 'held' as const,
        stages,
        lent_to: null,
        end_by: null,
        updated_at: new Date(),
      };
      if (!seen) {
        const { upsertedCount } = await retryDuplicateKey(() =>
          locks.updateOne({ _id: projectId }, { $setOnInsert: fields }, { upsert: true }),
        );
        return upsertedCount === 1 ? epoch : null;
      }
      const { matchedCount } = await locks.updateOne({ _id: projectId, epoch: seen.epoch }, { $set: fields });
      return matchedCount === 1 ? epoch : null;
    },

    /** Lets an execution take the lock although its holder has not ended. Has no effect once it was taken. */
    async lend({ project_id, epoch }: Pick<HeldRun, 'project_id' | 'epoch'>, lent_to: string): Promise<void> {
      await locks.updateOne(
        { _id: project_id, epoch },
        { $set: { state: 'free', lent_to, updated_at: new Date() } },
      );
    },

    /** Notes that the holder is about to start stage number `stages`. */
    async noteStage(projectId: ProjectId, epoch: number, stages: number): Promise<void> {
      await locks.updateOne({ _id: projectId, epoch }, { $max: { stages } });
    },

    /** Revokes the right to write of a holder that ended while some of its stages may still measure. */
    async abandon({ _id, epoch }: Pick<LockDocument, '_id' | 'epoch'>, end_by: Date): Promise<void> {
      await locks.updateOne(
        { _id, epoch, state: 'held' },
        { $set: { state: 'abandoned', end_by, updated_at: new Date() } },
      );
    },

    /** Locks of runs that ended while some of their stages may still measure, and that no later run has taken. */
    abandoned: (): Promise<LockDocument[]> => locks.find({ state: 'abandoned' }).sort({ _id: 1 }).toArray(),

    /** Frees the lock if the holder still has this epoch. */
    async free(projectId: ProjectId, epoch: number): Promise<void> {
      await locks.updateOne({ _id: projectId, epoch }, { $set: { state: 'free', updated_at: new Date() } });
    },
  };
}
