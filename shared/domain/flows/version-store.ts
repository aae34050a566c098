import { type CollectionIndexes, type Db, retryDuplicateKey } from '../../kernel/database.ts';
import { keyOf } from '../../kernel/ids.ts';
import type { FlowVersionDocument } from './saved-flow-model.ts';

export const versionIndexes: CollectionIndexes = {
  collection: 'flow_versions',
  indexes: [{ name: 'by_use', key: { project_id: 1, name: 1, unused: 1, saved_at: -1 } }],
};

/**
 * Every version of a flow's code that is current, that a run was made from, or that is among the last ones saved.
 * @param kept how many are kept that no run was made from
 */
export function createVersionStore(db: Db, kept: number) {
  const versions = db.collection<FlowVersionDocument>(versionIndexes.collection);

  return {
    /** A version of a flow's code, null when there is none. */
    version: (projectId: string, name: string, hash: string) =>
      versions.findOne({ _id: keyOf(projectId, name, hash) }),

    /** Keeps a version for good, since a run is made from it; false when there is none. */
    async pin(projectId: string, name: string, hash: string): Promise<boolean> {
      const { matchedCount } = await versions.updateOne(
        { _id: keyOf(projectId, name, hash) },
        { $unset: { unused: '' } },
      );
      return matchedCount === 1;
    },

    /** Stores a version; one of the same code that is there counts as saved anew. */
    async save(version: Omit<FlowVersionDocument, '_id' | 'unused' | 'saved_at'>, at: Date): Promise<void> {
      const { project_id, name, hash } = version;
      await retryDuplicateKey(() =>
        versions.updateOne(
          { _id: keyOf(project_id, name, hash) },
          { $set: { saved_at: at }, $setOnInsert: { ...version, unused: true } },
          { upsert: true },
        ),
      );
    },

    /**
     * Removes the oldest versions that no run was made from, but never the current one.
     * @param currentHash reads which one that is
     */
    async removeOld(
      projectId: string,
      name: string,
      currentHash: () => Promise<string | undefined>,
    ): Promise<void> {
      const old = await versions
        .find({ project_id: projectId, name, unused: true }, { projection: { hash: 1, saved_at: 1 } })
        .sort({ saved_at: -1 })
        .skip(kept)
        .toArray();
      if (old.length === 0) return;
      // Asked afterwards: of saves at one moment the version that is current need not be the one saved last.
      const current = await currentHash();
      const removed = old.filter(({ hash }) => hash !== current);
      if (removed.length === 0) return;
      // Not what was used or saved again meanwhile.
      await versions.bulkWrite(
        removed.map(({ _id, saved_at }) => ({ deleteOne: { filter: { _id, unused: true, saved_at } } })),
        { ordered: false },
      );
    },

    /** Removes all versions of a flow saved until a moment that no run was made from. */
    async removeUnused(projectId: string, name: string, until: Date): Promise<void> {
      await versions.deleteMany({ project_id: projectId, name, unused: true, saved_at: { $lte: until } });
    },
  };
}
