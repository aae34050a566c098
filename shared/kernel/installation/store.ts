import { type Db, retryDuplicateKey } from '../database.ts';
import { newId } from '../ids.ts';

/** The `_id` of the one document. */
const INSTALLATION = 'installation';

/** What the store keeps about the installation that it belongs to. */
export interface StoredInstallation {
  installation_id: string;
  /** Id of the Temporal namespace that the store was used with; null until it was used with one. */
  namespace_id: string | null;
  /** When a calibration data root was given its marker file; null until then. */
  data_root_marked_at: Date | null;
}

interface InstallationDocument extends StoredInstallation {
  _id: string;
  created_at: Date;
}

export type InstallationStore = ReturnType<typeof createInstallationStore>;

/** The record of the installation. Each change is one conditional write, so processes that start at once agree. */
export function createInstallationStore(db: Db) {
  const installations = db.collection<InstallationDocument>('installation');

  return {
    /** Reads the record; the first of all processes to ask creates it with a new id. */
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

    /** Records the namespace of a store that was used with none. @returns false when another process was first */
    async bind(namespaceId: string): Promise<boolean> {
      const { matchedCount } = await installations.updateOne(
        { _id: INSTALLATION, namespace_id: null },
        { $set: { namespace_id: namespaceId } },
      );
      return matchedCount === 1;
    },

    /** Records that a data root has its marker. */
    async noteDataRoot(at: Date): Promise<void> {
      await installations.updateOne({ _id: INSTALLATION }, { $set: { data_root_marked_at: at } });
    },

    /** Replaces what the store says, on purpose. */
    async adopt(
      fields: Partial<Pick<StoredInstallation, 'installation_id' | 'namespace_id'>>,
    ): Promise<void> {
      await installations.updateOne({ _id: INSTALLATION }, { $set: fields });
    },
  };
}
