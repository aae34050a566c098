import type { Collection, Document, OptionalUnlessRequiredId } from 'mongodb';
import { coalescedCallers } from './coalesced-callers.ts';
import { duplicatesOf } from './database.ts';

/**
 * Inserts documents that are missing, and leaves alone those whose key is taken: for the store that is half the work of an
 * upsert. Those of several callers go together, in no order, as {@link coalescedCallers} says.
 * @returns how many of the caller's were inserted; too few after a failure of another one's
 */
export function coalescedInserts<Stored extends Document>(
  collection: Pick<Collection<Stored>, 'insertMany'>,
): (documents: readonly OptionalUnlessRequiredId<Stored>[]) => Promise<number> {
  return coalescedCallers<OptionalUnlessRequiredId<Stored>>(async (callers) => {
    let taken = new Set<number>();
    try {
      await collection.insertMany(callers.flat(), { ordered: false });
    } catch (thrown) {
      const duplicates = duplicatesOf(thrown);
      if (!duplicates) throw thrown;
      taken = duplicates;
    }
    let next = 0;
    return callers.map((documents) => documents.filter(() => !taken.has(next++)).length);
  });
}
