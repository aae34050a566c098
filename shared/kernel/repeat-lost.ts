import { isStoreUnavailable } from './database.ts';

/**
 * Runs a write and repeats it once if the store does not answer. The write must be safe to repeat, such as an upsert with a
 * known key, or an update whose filter excludes documents that it has already changed.
 * @throws what the second attempt throws
 */
export async function repeatLost<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (thrown) {
    if (!isStoreUnavailable(thrown)) throw thrown;
    return write();
  }
}
