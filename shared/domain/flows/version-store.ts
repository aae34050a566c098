import { type CollectionIndexes, type Db, retryDuplicateKey } from '../../kernel/database.ts';
import { keyOf, type ProjectId } from '../../kernel/ids.ts';
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

/** A version in the format needed for lists. */
export type VersionStore = ReturnType<typeof createVersionStore>;

export type ListedVersion = Omit<FlowVersionDocument, 'source' | 'javascript'>;

/**
 * Stores every version of a flow's code that is current, is used by a run, or is among the last ones saved.
 * @param kept number of versions not used by runs that are kept
 */
export function createVersionStore(db: Db, kept: number) {
  const versions = db.collection<FlowVersionDocument>(versionIndexes.collection);

  return {
    /** A version of a flow's code; null if there is none. */
    version: (projectId: ProjectId, name: string, hash: string) =>
      versions.findOne({ _id: keyOf(projectId, name, hash) }),

    /** Keeps a version permanently, because a run uses it; false if it does not exist. */
    async pin(projectId: ProjectId, name: string, hash: string): Promise<boolean> {
      const { matchedCount } = await versions.updateOne(
        { _id: keyOf(projectId, name, hash) },
        { $unset: { unused: '' } },
      );
      return matchedCount === 1;
    },

    /** Stores a version whose save has not succeeded yet; an existing version with the same code gets the new time. */
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

    /** Makes a version visible in lists after its save succeeded; stores it again if it was removed meanwhile. */
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

    /** Removes a version whose save failed. @param at the time that was given to `save` */
    async withdraw({ project_id, name, hash }: NewFlowVersion, at: Date): Promise<void> {
      const _id = keyOf(project_id, name, hash);
      await versions.deleteOne({ _id, unused: true, unlisted: true, saved_at: at });
    },

    /** A page of a flow's versions, most recently saved first; the current one is always included. */
    async list(
      projectId: ProjectId,
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
     * Removes the oldest versions that no run uses, but never the current one.
     * @param currentHash reads the hash of the current version
     */
    async removeOld(
      projectId: ProjectId,
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
      // Counted separately: a save that is refused later must not remove a listed version.
      const listed = unused.filter(({ unlisted }) => !unlisted);
      const unlisted = unused.filter((each) => each.unlisted);
      const old = [...listed.slice(kept), ...unlisted.slice(kept)];
      if (old.length === 0) return;
      // Read afterwards: with concurrent saves, the current version need not be the last one saved.
      const current = await currentHash();
      const removed = old.filter(({ hash }) => hash !== current);
      if (removed.length === 0) return;
      // Versions that were used or saved again meanwhile are kept.
      await versions.bulkWrite(
        removed.map(({ _id, saved_at }) => ({ deleteOne: { filter: { _id, unused: true, saved_at } } })),
        { ordered: false },
      );
    },

    /**
     * Removes all versions of a flow that no run uses, saved up to a given time. The others are kept for their runs, but a later
     * flow with the same name does not list them.
     */
    async removeUnused(projectId: ProjectId, name: string, until: Date): Promise<void> {
      const ofFlow = { project_id: projectId, name };
      await versions.deleteMany({ ...ofFlow, unused: true, saved_at: { $lte: until } });
      await versions.updateMany(
        { ...ofFlow, saved_at: { $not: { $gt: until } } },
        { $set: { unlisted: true } },
      );
    },
  };
}
