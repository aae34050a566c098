import type { Db } from 'mongodb';
import type { CollectionIndexes } from '../../kernel/database.ts';
import { insertNew } from '../../kernel/insert-new.ts';
import type { UpdateDocument, UpdateMark } from './model.ts';

export const updateIndexes: CollectionIndexes = {
  collection: 'system_updates',
  indexes: [{ name: 'by_start', key: { started_at: -1, _id: -1 } }],
};

export type UpdateStore = ReturnType<typeof createUpdateStore>;

/** The requested updates. Updates that have ended never change. */
export function createUpdateStore(db: Db) {
  const updates = db.collection<UpdateDocument>(updateIndexes.collection);
  const open = { completed_at: null };

  return {
    async insert(update: UpdateDocument): Promise<void> {
      await insertNew(updates, update);
    },

    /** Removes an update that never started. */
    async remove(operationId: string): Promise<void> {
      await updates.deleteOne({ _id: operationId });
    },

    get(operationId: string): Promise<UpdateDocument | null> {
      return updates.findOne({ _id: operationId });
    },

    /** The last requested update. */
    async last(): Promise<UpdateDocument | null> {
      return (await updates.find().sort({ started_at: -1, _id: -1 }).limit(1).next()) ?? null;
    },

    /** Records the progress of an update, and its end if given. */
    async mark(operationId: string, mark: UpdateMark, ended: Date | null = null): Promise<void> {
      await updates.updateOne(
        { _id: operationId, ...open },
        { $set: { ...mark, updated_at: new Date(), completed_at: ended } },
      );
    },

    /** Ends an update that no updater has begun. @returns false if an updater has begun it, or it has ended */
    async endQueued(operationId: string, mark: UpdateMark, at: Date): Promise<boolean> {
      const { matchedCount } = await updates.updateOne(
        { _id: operationId, ...open, state: 'queued' },
        { $set: { ...mark, updated_at: at, completed_at: at } },
      );
      return matchedCount === 1;
    },

    /** Replaces the last lines of output of an update's commands. */
    async noteLog(operationId: string, log_tail: string[]): Promise<void> {
      await updates.updateOne({ _id: operationId, ...open }, { $set: { log_tail, updated_at: new Date() } });
    },

    /** Records a completed step. */
    async noteDone(operationId: string, step: string): Promise<void> {
      await updates.updateOne({ _id: operationId }, { $addToSet: { done: step } });
    },
  };
}
