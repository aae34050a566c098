import type { Db } from 'mongodb';
import { type CollectionIndexes, retryDuplicateKey } from '../../kernel/database.ts';

/** Number of reloads of the configuration; one record for the whole installation. */
interface RevisionDocument {
  _id: 'configuration';
  revision: number;
}

export const configurationIndexes: CollectionIndexes = { collection: 'configuration_revisions', indexes: [] };

export type ConfigurationRevisions = ReturnType<typeof createConfigurationRevisions>;

/** The revision by which every process detects a reload in another process. */
export function createConfigurationRevisions(db: Db) {
  const revisions = db.collection<RevisionDocument>(configurationIndexes.collection);
  return {
    async current(): Promise<number> {
      return (await revisions.findOne({ _id: 'configuration' }))?.revision ?? 0;
    },

    async raise(): Promise<void> {
      await retryDuplicateKey(() =>
        revisions.updateOne({ _id: 'configuration' }, { $inc: { revision: 1 } }, { upsert: true }),
      );
    },
  };
}
