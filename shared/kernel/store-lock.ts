import { type Db, isDuplicateKey } from './database.ts';
import { newId } from './new-ids.ts';

/** Milliseconds after which another process takes over the lock of a process that has died. */
const LOCK_LIFETIME = 60_000;
const RENEW_EVERY = 10_000;

/** Document of a lock. Documents of other purposes may add fields. */
interface LockDocument {
  _id: string;
  holder?: string | null;
  expires_at?: Date | null;
}

export interface StoreLock {
  /**
   * Runs the work while this process holds the lock, and releases the lock afterwards.
   * @param work gets a signal that is aborted if another process takes the lock over
   * @returns false if another process holds the lock; the work was not started
   */
  runLocked(work: (lost: AbortSignal) => Promise<void>): Promise<boolean>;
}

/** A lock in a document of the store, which one process at a time holds. It expires if its process dies. */
export function createStoreLock(db: Db, collection: string, _id: string): StoreLock {
  const locks = db.collection<LockDocument>(collection);
  const holder = newId();

  async function take(): Promise<boolean> {
    const now = new Date();
    const isFree = { $or: [{ holder: null }, { holder }, { expires_at: { $lt: now } }] };
    const taken = { $set: { holder, expires_at: new Date(now.getTime() + LOCK_LIFETIME) } };
    try {
      const { matchedCount, upsertedCount } = await locks.updateOne({ _id, ...isFree }, taken, {
        upsert: true,
      });
      return matchedCount + upsertedCount > 0;
    } catch (thrown) {
      if (isDuplicateKey(thrown)) return false;
      throw thrown;
    }
  }

  return {
    async runLocked(work) {
      if (!(await take())) return false;
      const lost = new AbortController();
      const renewal = setInterval(() => {
        const expires_at = new Date(Date.now() + LOCK_LIFETIME);
        locks.updateOne({ _id, holder }, { $set: { expires_at } }).then(
          ({ matchedCount }) => matchedCount === 0 && lost.abort(new Error('another process took the lock')),
          () => {},
        );
      }, RENEW_EVERY);
      try {
        await work(lost.signal);
      } finally {
        clearInterval(renewal);
        // If the store does not answer, the lock expires.
        await locks.updateOne({ _id, holder }, { $set: { holder: null } }).catch(() => {});
      }
      return true;
    },
  };
}
