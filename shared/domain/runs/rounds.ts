import { type CollectionIndexes, type Db, retryDuplicateKey } from '../../kernel/database.ts';

export const roundIndexes: CollectionIndexes = { collection: 'reconciler_rounds', indexes: [] };

interface RoundDocument {
  _id: string;
  /** When the next round is due. */
  due_at: Date;
  /** The process that took the last round. */
  by: string;
}

/** There is one of each per installation. */
type Round = 'reconciler' | 'backend workers';
const RECONCILER = 'reconciler';

/**
 * Lets exactly one process make each round of the reconciler. A due round goes to the first process that asks. There is no leader
 * whose loss must be detected: a process that dies costs at most one round. It is not a workflow, because it handles runs whose
 * workflows cannot continue.
 */
export function createReconcilerRounds(db: Db) {
  const rounds = db.collection<RoundDocument>(roundIndexes.collection);
  return {
    /** @param interval milliseconds until the round after this one @returns whether the caller must make this round */
    async take(by: string, interval: number, now = new Date(), round: Round = RECONCILER): Promise<boolean> {
      const fields = { by, due_at: new Date(now.getTime() + interval) };
      const { matchedCount } = await rounds.updateOne(
        { _id: round, due_at: { $lte: now } },
        { $set: fields },
      );
      if (matchedCount === 1) return true;
      const { upsertedCount } = await retryDuplicateKey(() =>
        rounds.updateOne({ _id: round }, { $setOnInsert: fields }, { upsert: true }),
      );
      return upsertedCount === 1;
    },
  };
}
