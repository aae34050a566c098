import { type CollectionIndexes, type Db, retryDuplicateKey } from '../../kernel/database.ts';
import { keyOf } from '../../kernel/ids.ts';
import type { SearchBlockDocument, ThreadStatus } from './model.ts';
import { BLOCK, literally, placeOf } from './search-rules.ts';

export const searchIndexes: readonly CollectionIndexes[] = [
  { collection: 'forum_search', indexes: [{ name: 'by_block', key: { project_id: 1, block: 1 } }] },
];

export type SearchStore = ReturnType<typeof createSearchStore>;

/** A text and a status that a thread had at a revision; the status is null for one that is deleted. */
export interface KeptText {
  number: number;
  revision: number;
  text: string;
  status: ThreadStatus | null;
}

/**
 * The texts of all threads, many to a document, so that any part of a text is found by reading few documents. A text
 * is taken back before its thread changes and kept again afterwards: between, and after a crash between, a search finds
 * the thread's number among those that have to be read.
 */
export function createSearchStore(db: Db) {
  const blocks = db.collection<SearchBlockDocument>('forum_search');

  const emptyBlock = (projectId: string, block: number) => ({
    filter: { _id: keyOf(projectId, block) },
    update: {
      $setOnInsert: {
        project_id: projectId,
        block,
        texts: Array<null>(BLOCK).fill(null),
        statuses: Array<null>(BLOCK).fill(null),
        revisions: Array<number>(BLOCK).fill(-1),
      },
    },
    upsert: true,
  });

  /** What is kept of an older revision, or of this one, gives way. */
  const kept = (projectId: string, { number, revision, text, status }: KeptText) => {
    const { block, slot } = placeOf(number);
    return {
      filter: { _id: keyOf(projectId, block), [`revisions.${slot}`]: { $lte: revision } },
      update: {
        $set: {
          [`texts.${slot}`]: text,
          [`statuses.${slot}`]: status,
          [`revisions.${slot}`]: revision,
        },
      },
    };
  };

  return {
    /** Makes room for the text of a thread that is about to be stored under a number. */
    async prepare(projectId: string, number: number): Promise<void> {
      const { filter, update } = emptyBlock(projectId, placeOf(number).block);
      await retryDuplicateKey(() => blocks.updateOne(filter, update, { upsert: true }));
    },

    /** Makes what room is missing for the threads up to a number, where they are older than this search. */
    async prepareAll(projectId: string, last: number): Promise<void> {
      const count = placeOf(last).block + 1;
      if ((await blocks.countDocuments({ project_id: projectId })) >= count) return;
      const all = Array.from({ length: count }, (_, block) => ({ updateOne: emptyBlock(projectId, block) }));
      await retryDuplicateKey(() => blocks.bulkWrite(all, { ordered: false }));
    },

    /** Takes back the text of a thread before it gets a revision; older ones keep no text any more. */
    async takeBack(projectId: string, number: number, revision: number): Promise<void> {
      const { block, slot } = placeOf(number);
      await blocks.updateOne(
        { _id: keyOf(projectId, block), [`revisions.${slot}`]: { $lt: revision } },
        { $set: { [`texts.${slot}`]: null, [`revisions.${slot}`]: revision } },
      );
    },

    /** Keeps the texts of threads, but where there is something newer. */
    async settle(projectId: string, texts: readonly KeptText[]): Promise<void> {
      if (texts.length === 0) return;
      await blocks.bulkWrite(
        texts.map((each) => ({ updateOne: kept(projectId, each) })),
        { ordered: false },
      );
    },

    /** Numbers of the threads of a status that have a part in small letters, and of those of which nobody knows. */
    async find(
      projectId: string,
      part: string,
      status: ThreadStatus | 'all',
    ): Promise<{ found: number[]; unknown: number[] }> {
      const found: number[] = [];
      const unknown: number[] = [];
      const narrowed = blocks
        .find({ project_id: projectId, $or: [{ texts: new RegExp(literally(part)) }, { texts: null }] })
        .project<Pick<SearchBlockDocument, 'block' | 'texts' | 'statuses'>>({
          block: 1,
          texts: 1,
          statuses: 1,
        });
      for await (const { block, texts, statuses } of narrowed) {
        for (const [slot, text] of texts.entries()) {
          const own = statuses[slot] ?? null;
          if (text === null) unknown.push(block * BLOCK + slot);
          else if (own !== null && (status === 'all' || own === status) && text.includes(part))
            found.push(block * BLOCK + slot);
        }
      }
      return { found, unknown };
    },
  };
}
