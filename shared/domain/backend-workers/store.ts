import { type CollectionIndexes, type Db, retryDuplicateKey } from '../../kernel/database.ts';
import type { BackendWorkerDocument, GivenMeasurement, WorkerDescription } from './model.ts';

export const backendWorkerIndexes: CollectionIndexes = {
  collection: 'backend_workers',
  indexes: [
    { name: 'by_backend', key: { backend: 1, seen_at: -1 } },
    { name: 'by_time', key: { seen_at: 1 } },
  ],
};

export type BackendWorkerStore = ReturnType<typeof createBackendWorkerStore>;

/** Workers of backends, as they were last seen. */
export function createBackendWorkerStore(db: Db) {
  const workers = db.collection<BackendWorkerDocument>(backendWorkerIndexes.collection);
  const keyOf = (backend: string, identity: string) => `${backend}/${identity}`;

  return {
    /** Notes that a worker was seen, and what it measures. */
    async see(
      { backend, identity }: Pick<BackendWorkerDocument, 'backend' | 'identity'>,
      given: readonly GivenMeasurement[],
      at: Date,
    ): Promise<void> {
      const measuring = given.map(({ worker: _worker, ...measurement }) => measurement);
      const first = { backend, identity, since: at, described_at: null, description: null };
      await retryDuplicateKey(() =>
        workers.updateOne(
          { _id: keyOf(backend, identity) },
          { $set: { seen_at: at, measuring }, $setOnInsert: first },
          { upsert: true },
        ),
      );
    },

    /** Stores a worker's description of itself; null if it has none. An unknown worker is ignored. */
    async describe(
      { backend, identity }: Pick<BackendWorkerDocument, 'backend' | 'identity'>,
      described: WorkerDescription | null,
      at: Date,
    ): Promise<void> {
      const description = described && {
        software: described.software,
        version: described.version,
        at_once: described.at_once,
        problem: described.problem,
        tasks: described.tasks,
      };
      await workers.updateOne({ _id: keyOf(backend, identity) }, { $set: { described_at: at, description } });
    },

    /** Workers of a backend that were seen since a time, the longest connected first. */
    async of(backend: string, since: Date): Promise<BackendWorkerDocument[]> {
      const found = await workers.find({ backend, seen_at: { $gt: since } }).toArray();
      return found.sort((a, b) => a.since.getTime() - b.since.getTime() || (a._id < b._id ? -1 : 1));
    },

    /** Forgets workers that were last seen before a time. */
    async forget(before: Date): Promise<void> {
      await workers.deleteMany({ seen_at: { $lt: before } });
    },
  };
}
