import { type CollectionIndexes, type Db, retryDuplicateKey } from '../../kernel/database.ts';
import { keyOf, type ProjectId } from '../../kernel/ids.ts';
import { literalPattern } from '../../kernel/text.ts';
import type { SearchBlockDocument, SearchSlot, SearchVersionsDocument } from './model.ts';
import { placeOf, unknownSlots } from './search-rules.ts';

export const searchIndexes: readonly CollectionIndexes[] = [
  { collection: 'forum_search_blocks', indexes: [] },
  { collection: 'forum_search_versions', indexes: [] },
  // The search collection of earlier releases, still deleted with its project.
  { collection: 'forum_search', indexes: [] },
];

export type SearchStore = ReturnType<typeof createSearchStore>;

/** The search entry of a thread, with the thread's number. */
export interface NumberedSlot extends SearchSlot {
  number: number;
}

export type SearchBlock = Pick<SearchBlockDocument, 'block' | 'slots'>;

/**
 * The texts of all threads, many per document, so that a search for any fragment reads few documents. A text is withdrawn before
 * its thread changes and stored again afterwards. In between, and after a crash in between, a search returns the thread's number
 * among those that must be read. The version of a block is incremented after each of its changes. A reader that has a block at
 * some version has seen all changes before it. A change whose version increment was lost only restores a text that had been
 * withdrawn.
 */
export function createSearchStore(db: Db) {
  const blocks = db.collection<SearchBlockDocument>('forum_search_blocks');
  const versions = db.collection<SearchVersionsDocument>('forum_search_versions');

  const emptyBlock = (projectId: ProjectId, block: number) => ({
    filter: { _id: keyOf(projectId, block) },
    update: {
      $setOnInsert: { project_id: projectId, block, slots: unknownSlots() },
    },
    upsert: true,
  });

  /** Replaces an entry with the same or an older revision. */
  const kept = (projectId: ProjectId, { number, text, filing, revision }: NumberedSlot) => {
    const { block, slot } = placeOf(number);
    return {
      filter: { _id: keyOf(projectId, block), [`slots.${slot}.revision`]: { $lte: revision } },
      update: { $set: { [`slots.${slot}`]: { text, filing, revision } } },
    };
  };

  const ofBlocks = (numbers: Iterable<number>, value: number) =>
    Object.fromEntries(Array.from(new Set(numbers), (block) => [`versions.${block}`, value]));

  async function note(
    projectId: ProjectId,
    update: { $inc: Record<string, number> } | { $max: Record<string, number> },
  ): Promise<void> {
    await retryDuplicateKey(() => versions.updateOne({ _id: projectId }, update, { upsert: true }));
  }

  /** Creates missing blocks. */
  async function prepare(projectId: ProjectId, numbers: readonly number[]): Promise<void> {
    const missing = numbers.map((block) => ({ updateOne: emptyBlock(projectId, block) }));
    await retryDuplicateKey(() => blocks.bulkWrite(missing, { ordered: false }));
    await note(projectId, { $max: ofBlocks(numbers, 0) });
  }

  return {
    prepare,

    /** Withdraws the text of a thread before it gets a new revision; older revisions can no longer store their text. */
    async takeBack(projectId: ProjectId, number: number, revision: number): Promise<void> {
      const { block, slot } = placeOf(number);
      const taken = { text: null, filing: null, revision };
      const take = () =>
        blocks.updateOne(
          { _id: keyOf(projectId, block), [`slots.${slot}.revision`]: { $lt: revision } },
          { $set: { [`slots.${slot}`]: taken } },
        );
      if ((await take()).matchedCount === 0) {
        // The block may not exist: the thread may be older than the search.
        await prepare(projectId, [block]);
        await take();
      }
      await note(projectId, { $inc: ofBlocks([block], 1) });
    },

    /** Stores the texts of threads, unless a newer revision exists. */
    async settle(projectId: ProjectId, slots: readonly NumberedSlot[]): Promise<void> {
      if (slots.length === 0) return;
      const { matchedCount } = await blocks.bulkWrite(
        slots.map((each) => ({ updateOne: kept(projectId, each) })),
        { ordered: false },
      );
      // Also if the entry was unchanged: its writer may have died before it incremented the version.
      if (matchedCount === 0) return;
      const changed = slots.map(({ number }) => placeOf(number).block);
      await note(projectId, { $inc: ofBlocks(changed, 1) });
    },

    /** The existing blocks with their versions. */
    async versions(projectId: ProjectId): Promise<Map<number, number>> {
      const found = await versions.findOne({ _id: projectId });
      return new Map(
        Object.entries(found?.versions ?? {}).map(([block, version]) => [Number(block), version]),
      );
    },

    /** Reads blocks, unordered; blocks that do not exist are left out. */
    read: (projectId: ProjectId, numbers: readonly number[]): Promise<SearchBlock[]> =>
      blocks
        .find({ _id: { $in: numbers.map((block) => keyOf(projectId, block)) } })
        .project<SearchBlock>({ block: 1, slots: 1 })
        .toArray(),

    /** Those of the given blocks that contain a text with this lower-case fragment, or a thread that is not indexed. */
    readWith: (projectId: ProjectId, numbers: readonly number[], part: string): AsyncIterable<SearchBlock> =>
      blocks
        .find({
          _id: { $in: numbers.map((block) => keyOf(projectId, block)) },
          $or: [{ 'slots.text': { $regex: literalPattern(part) } }, { 'slots.text': null }],
        })
        .project<SearchBlock>({ block: 1, slots: 1 }),
  };
}
