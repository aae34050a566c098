import { type CollectionIndexes, type Db, retryDuplicateKey } from '../../kernel/database.ts';
import { keyOf } from '../../kernel/ids.ts';
import type { FlowSave, FlowVersionDocument, FlowVersionPage } from './saved-flow-model.ts';

export const versionIndexes: CollectionIndexes = {
  collection: 'flow_versions',
  indexes: [
    { name: 'by_use', key: { project_id: 1, name: 1, unused: 1, saved_at: -1 } },
    { name: 'by_save', key: { project_id: 1, name: 1, 'last_save.at': -1, created_at: -1, hash: 1 } },
  ],
};

/** A version as it is first stored. */
export type NewFlowVersion = Omit<
  FlowVersionDocument,
  '_id' | 'unused' | 'saved_at' | 'unlisted' | 'last_save'
>;

/** A version as lists need it. */
export type ListedVersion = Omit<FlowVersionDocument, 'source' | 'javascript'>;

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

    /**
     * Stores a version of which no save has succeeded yet; one of the same code that is there is kept as if it had been
     * saved now.
     */
    async save(version: NewFlowVersion, at: Date): Promise<void> {
      const { project_id, name, hash } = version;
      await retryDuplicateKey(() =>
        versions.updateOne(
          { _id: keyOf(project_id, name, hash) },
          { $set: { saved_at: at }, $setOnInsert: { ...version, unused: true, unlisted: true } },
          { upsert: true },
        ),
      );
    },

    /** Lists a version from now on, since it was saved; stores it again if it was removed meanwhile. */
    async confirm(version: NewFlowVersion, save: FlowSave): Promise<void> {
      const { project_id, name, hash } = version;
      await retryDuplicateKey(() =>
        versions.updateOne(
          { _id: keyOf(project_id, name, hash) },
          {
            $set: { saved_at: save.at, last_save: save },
            $unset: { unlisted: '' },
            $setOnInsert: { ...version, unused: true },
          },
          { upsert: true },
        ),
      );
    },

    /** Removes what a save stored that did not succeed. @param at as it was given to `save` */
    async withdraw({ project_id, name, hash }: NewFlowVersion, at: Date): Promise<void> {
      const _id = keyOf(project_id, name, hash);
      await versions.deleteOne({ _id, unused: true, unlisted: true, saved_at: at });
    },

    /** A page of a flow's versions, saved last first; the current one is always among them. */
    async list(
      projectId: string,
      flow: { name: string; hash: string },
      { skip, limit }: FlowVersionPage,
    ): Promise<{ found: ListedVersion[]; total: number }> {
      const { name, hash } = flow;
      const listed = { project_id: projectId, name, $or: [{ unlisted: { $exists: false } }, { hash }] };
      const [found, total] = await Promise.all([
        versions
          .find(listed)
          .sort({ 'last_save.at': -1, created_at: -1, hash: 1 })
          .skip(skip)
          .limit(limit)
          .project<ListedVersion>({ source: 0, javascript: 0 })
          .toArray(),
        versions.countDocuments(listed),
      ]);
      return { found, total };
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
      const unused = await versions
        .find(
          { project_id: projectId, name, unused: true },
          { projection: { hash: 1, saved_at: 1, unlisted: 1 } },
        )
        .sort({ saved_at: -1 })
        .toArray();
      // Counted apart: a save that is refused in the end must not remove a version that is listed.
      const listed = unused.filter(({ unlisted }) => !unlisted);
      const unlisted = unused.filter((each) => each.unlisted);
      const old = [...listed.slice(kept), ...unlisted.slice(kept)];
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

    /**
     * Removes all versions of a flow saved until a moment that no run was made from. The others stay for their runs, and
     * a later flow of the same name does not list them.
     */
    async removeUnused(projectId: string, name: string, until: Date): Promise<void> {
      const ofFlow = { project_id: projectId, name };
      await versions.deleteMany({ ...ofFlow, unused: true, saved_at: { $lte: until } });
      await versions.updateMany(
        { ...ofFlow, saved_at: { $not: { $gt: until } } },
        { $set: { unlisted: true } },
      );
    },
  };
}
