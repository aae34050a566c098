import { type CollectionIndexes, type Db, retryDuplicateKey } from '../../kernel/database.ts';

export const roundIndexes: CollectionIndexes = { collection: 'reconciler_rounds', indexes: [] };

interface RoundDocument {
  _id: string;
  /** When the next round is due. */
  due_at: Date;
  /** Who took the last one. */
  by: string;
}

/** There is one reconciler in an installation. */
const RECONCILER = 'reconciler';

/**
 * Lets one of all processes make each round of the reconciler. A round is given to whoever asks first when it is due,
 * so that there is no leader whose loss had to be noticed: a process that dies costs one round at most. It is no
 * workflow, because it looks after runs whose workflows cannot go on.
 */
export function createReconcilerRounds(db: Db) {
  const rounds = db.collection<RoundDocument>(roundIndexes.collection);
  return {
    /** @param interval milliseconds to the round after this one @returns whether the round is the caller's to make */
    async take(by: string, interval: number, now = new Date()): Promise<boolean> {
      const fields = { by, due_at: new Date(now.getTime() + interval) };
      const { matchedCount } = await rounds.updateOne(
        { _id: RECONCILER, due_at: { $lte: now } },
        { $set: fields },
      );
      if (matchedCount === 1) return true;
      const { upsertedCount } = await retryDuplicateKey(() =>
        rounds.updateOne({ _id: RECONCILER }, { $setOnInsert: fields }, { upsert: true }),
      );
      return upsertedCount === 1;
    },
  };
}
