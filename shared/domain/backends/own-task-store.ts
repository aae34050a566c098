import { type CollectionIndexes, type Db, retryDuplicateKey } from '../../kernel/database.ts';
import { joinedKey } from '../../kernel/ids.ts';
import type { OwnTask } from '../../tasks/own-tasks.ts';

/** One version of a declaration. It never changes, because runs refer to it; only the time of its last announcement does. */
interface OwnTaskDocument extends OwnTask {
  /** Backend, name and hash. */
  _id: string;
  backend: string;
  first_at: Date;
  announced_at: Date;
}

/** When a worker of a backend that ever declared a task last described itself. */
interface DeclaringBackendDocument {
  /** Name of the backend. */
  _id: string;
  described_at: Date;
}

export const ownTaskIndexes: readonly CollectionIndexes[] = [
  { collection: 'own_tasks', indexes: [{ name: 'by_backend', key: { backend: 1, announced_at: -1 } }] },
  { collection: 'declaring_backends', indexes: [] },
];

/**
 * Milliseconds that a task remains offered after its backend's workers began to describe themselves without it. Several workers
 * of one backend describe themselves in turn.
 */
const REMEMBERED = 600_000;

/** Declarations of tasks that are not in the catalog. */
export function createOwnTaskStore(db: Db) {
  const tasks = db.collection<OwnTaskDocument>('own_tasks');
  const backends = db.collection<DeclaringBackendDocument>('declaring_backends');
  const keyOf = (backend: string, { name, hash }: Pick<OwnTask, 'name' | 'hash'>) =>
    joinedKey(backend, name, hash);

  return {
    /** Notes what a worker of a backend declared when it described itself. */
    async note(backend: string, declared: readonly OwnTask[], at: Date): Promise<void> {
      for (const { name, description, declaration, hash } of declared) {
        const first = { backend, name, description, declaration, hash, first_at: at };
        await retryDuplicateKey(() =>
          tasks.updateOne(
            { _id: keyOf(backend, { name, hash }) },
            { $set: { announced_at: at }, $setOnInsert: first },
            { upsert: true },
          ),
        );
      }
      await retryDuplicateKey(() =>
        backends.updateOne({ _id: backend }, { $set: { described_at: at } }, { upsert: declared.length > 0 }),
      );
    },

    /** The tasks that a backend currently declares, by name: of each the declaration announced last. */
    async current(backend: string): Promise<OwnTask[]> {
      const last = await backends.findOne({ _id: backend });
      if (!last) return [];
      const since = new Date(last.described_at.getTime() - REMEMBERED);
      const found = await tasks
        .find({ backend, announced_at: { $gt: since } })
        .sort({ announced_at: -1 })
        .toArray();
      const newest = new Map<string, OwnTaskDocument>();
      for (const task of found) if (!newest.has(task.name)) newest.set(task.name, task);
      return [...newest.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    },

    /** A declaration by its hash; null if it was never accepted. */
    pinned: (backend: string, task: Pick<OwnTask, 'name' | 'hash'>): Promise<OwnTask | null> =>
      tasks.findOne({ _id: keyOf(backend, task) }),
  };
}
