import { unzipSync } from 'fflate';
import { StoredFileProblem } from './stored-variable.ts';

/** Maximum number of entries of an archive: one for each chunk of a variable, and a few for descriptions. */
const MAX_ENTRIES = 65_535;

/**
 * The entries of a zip archive by name. If several entries have the same name, the last one counts, as in a store that
 * was overwritten.
 * @param limit maximum unpacked bytes of all entries together
 * @throws StoredFileProblem for a damaged archive or one that unpacks to more
 */
export function zipEntries(bytes: Uint8Array, limit: number): Map<string, Uint8Array> {
  let [entries, total] = [0, 0];
  const unpacked = attempt(() =>
    unzipSync(bytes, {
      filter({ name, originalSize }) {
        entries += 1;
        total += originalSize;
        if (entries > MAX_ENTRIES) throw new StoredFileProblem(`it has more than ${MAX_ENTRIES} entries`);
        // The buffer has the size that the entry states, so the unpacked entry cannot be larger.
        if (total > limit) throw new StoredFileProblem(`it unpacks to more than ${limit} bytes`);
        return !name.endsWith('/');
      },
    }),
  );
  return new Map(Object.entries(unpacked));
}

function attempt<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof StoredFileProblem) throw thrown;
    throw new StoredFileProblem(
      'it is a damaged zip archive, or packed by an unknown method (deflate is known)',
    );
  }
}
