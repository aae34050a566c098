import { type Db, retryDuplicateKey } from '../database.ts';
import { newId } from '../new-ids.ts';

export const INSTALLATION_COLLECTION = 'installation';

/** `_id` of the only document. */
const INSTALLATION = 'installation';

/** The store's record of the installation that it belongs to. */
export interface StoredInstallation {
  installation_id: string;
  /** Id of the Temporal namespace used with the store; null before the first use. */
  namespace_id: string | null;
  /** When a calibration data root got its marker file; null before that. */
  data_root_marked_at: Date | null;
}

interface InstallationDocument extends StoredInstallation {
  _id: string;
  created_at: Date;
}

export type InstallationStore = ReturnType<typeof createInstallationStore>;

/** Access to the record. Each change is one conditional write, so processes that start at the same time agree. */
export function createInstallationStore(db: Db) {
  const installations = db.collection<InstallationDocument>(INSTALLATION_COLLECTION);

  return {
    /** Reads the record. The first process creates it with a new id. */
    async get(): Promise<StoredInstallation> {
      const found = await installations.findOne({ _id: INSTALLATION });
      if (found) return found;
      const created = {
        installation_id: newId(),
        namespace_id: null,
        data_root_marked_at: null,
        created_at: new Date(),
      };
      await retryDuplicateKey(() =>
        installations.updateOne({ _id: INSTALLATION }, { $setOnInsert: created }, { upsert: true }),
      );
      return (await installations.findOne({ _id: INSTALLATION })) ?? created;
    },

    /** Records the namespace if none is recorded yet. @returns false if another process was first */
    async bind(namespaceId: string): Promise<boolean> {
      const { matchedCount } = await installations.updateOne(
        { _id: INSTALLATION, namespace_id: null },
        { $set: { namespace_id: namespaceId } },
      );
      return matchedCount === 1;
    },

    /** Records that a data root has got its marker. */
    async noteDataRoot(at: Date): Promise<void> {
      await installations.updateOne({ _id: INSTALLATION }, { $set: { data_root_marked_at: at } });
    },

    /** Overwrites the record, for an operator's adoption. */
    async adopt(
      fields: Partial<Pick<StoredInstallation, 'installation_id' | 'namespace_id'>>,
    ): Promise<void> {
      await installations.updateOne({ _id: INSTALLATION }, { $set: fields });
    },
  };
}
