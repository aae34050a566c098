import { type CollectionIndexes, type Db, retryDuplicateKey } from '../../kernel/database.ts';
import { keyOf } from '../../kernel/ids.ts';
import { literalPattern } from '../../kernel/text.ts';
import type { SearchBlockDocument, SearchSlot, SearchVersionsDocument } from './model.ts';
import { placeOf, unknownSlots } from './search-rules.ts';

export const searchIndexes: readonly CollectionIndexes[] = [
  { collection: 'forum_search_blocks', indexes: [] },
  { collection: 'forum_search_versions', indexes: [] },
  // What earlier releases searched goes with its project.
  { collection: 'forum_search', indexes: [] },
];

export type SearchStore = ReturnType<typeof createSearchStore>;

/** What is kept of the thread with a number. */
export interface NumberedSlot extends SearchSlot {
  number: number;
}

export type SearchBlock = Pick<SearchBlockDocument, 'block' | 'slots'>;

/**
 * The texts of all threads, many to a document, so that any part of a text is found by reading few documents. A text
 * is taken back before its thread changes and kept again afterwards: between, and after a crash between, a search finds
 * the thread's number among those that have to be read. The version of a block is raised after each of its changes: who
 * knows a block as it was at a version knows all that came before, and a change of which the version does not tell
 * only says again what was taken back.
 */
export function createSearchStore(db: Db) {
  const blocks = db.collection<SearchBlockDocument>('forum_search_blocks');
  const versions = db.collection<SearchVersionsDocument>('forum_search_versions');

  const emptyBlock = (projectId: string, block: number) => ({
    filter: { _id: keyOf(projectId, block) },
    update: {
      $setOnInsert: { project_id: projectId, block, slots: unknownSlots() },
    },
    upsert: true,
  });

  /** What is kept of an older revision, or of this one, gives way. */
  const kept = (projectId: string, { number, text, filing, revision }: NumberedSlot) => {
    const { block, slot } = placeOf(number);
    return {
      filter: { _id: keyOf(projectId, block), [`slots.${slot}.revision`]: { $lte: revision } },
      update: { $set: { [`slots.${slot}`]: { text, filing, revision } } },
    };
  };

  const ofBlocks = (numbers: Iterable<number>, value: number) =>
    Object.fromEntries(Array.from(new Set(numbers), (block) => [`versions.${block}`, value]));

  async function note(
    projectId: string,
    update: { $inc: Record<string, number> } | { $max: Record<string, number> },
  ): Promise<void> {
    await retryDuplicateKey(() => versions.updateOne({ _id: projectId }, update, { upsert: true }));
  }

  /** Makes room in blocks that are not there. */
  async function prepare(projectId: string, numbers: readonly number[]): Promise<void> {
    const missing = numbers.map((block) => ({ updateOne: emptyBlock(projectId, block) }));
    await retryDuplicateKey(() => blocks.bulkWrite(missing, { ordered: false }));
    await note(projectId, { $max: ofBlocks(numbers, 0) });
  }

  return {
    prepare,

    /** Takes back the text of a thread before it gets a revision; older ones keep no text any more. */
    async takeBack(projectId: string, number: number, revision: number): Promise<void> {
      const { block, slot } = placeOf(number);
      const taken = { text: null, filing: null, revision };
      const take = () =>
        blocks.updateOne(
          { _id: keyOf(projectId, block), [`slots.${slot}.revision`]: { $lt: revision } },
          { $set: { [`slots.${slot}`]: taken } },
        );
      if ((await take()).matchedCount === 0) {
        // The thread may be older than the search.
        await prepare(projectId, [block]);
        await take();
      }
      await note(projectId, { $inc: ofBlocks([block], 1) });
    },

    /** Keeps the texts of threads, but where there is something newer. */
    async settle(projectId: string, slots: readonly NumberedSlot[]): Promise<void> {
      if (slots.length === 0) return;
      const { matchedCount } = await blocks.bulkWrite(
        slots.map((each) => ({ updateOne: kept(projectId, each) })),
        { ordered: false },
      );
      // Also where the same was there: whoever wrote it may have died before the version was raised.
      if (matchedCount === 0) return;
      const changed = slots.map(({ number }) => placeOf(number).block);
      await note(projectId, { $inc: ofBlocks(changed, 1) });
    },

    /** The blocks that there are, with their versions. */
    async versions(projectId: string): Promise<Map<number, number>> {
      const found = await versions.findOne({ _id: projectId });
      return new Map(
        Object.entries(found?.versions ?? {}).map(([block, version]) => [Number(block), version]),
      );
    },

    /** Blocks in no order; those that are not there are left out. */
    read: (projectId: string, numbers: readonly number[]): Promise<SearchBlock[]> =>
      blocks
        .find({ _id: { $in: numbers.map((block) => keyOf(projectId, block)) } })
        .project<SearchBlock>({ block: 1, slots: 1 })
        .toArray(),

    /** Those of some blocks in which a text has a part in small letters, or of a thread nobody knows. */
    readWith: (projectId: string, numbers: readonly number[], part: string): AsyncIterable<SearchBlock> =>
      blocks
        .find({
          _id: { $in: numbers.map((block) => keyOf(projectId, block)) },
          $or: [{ 'slots.text': { $regex: literalPattern(part) } }, { 'slots.text': null }],
        })
        .project<SearchBlock>({ block: 1, slots: 1 }),
  };
}
