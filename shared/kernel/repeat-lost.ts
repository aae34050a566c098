import { isStoreUnavailable } from './database.ts';

/**
 * Makes a write whose answer may be lost: where the store does not answer, the write is made a second time. It must be
 * safe to repeat, such as an upsert under a known key or an update whose filter excludes what it changed before.
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
