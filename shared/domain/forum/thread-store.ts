import type { Filter } from 'mongodb';
import { type CollectionIndexes, type Db, isDuplicateKey, retryDuplicateKey } from '../../kernel/database.ts';
import { keyOf, type ProjectId } from '../../kernel/ids.ts';
import { insertNew } from '../../kernel/insert-new.ts';
import type { ForumCountDocument, ThreadDocument, ThreadQuery } from './model.ts';
import { createSearch } from './search.ts';
import {
  type Asked,
  askedFor,
  isWithin,
  type Narrowing,
  placeOf,
  searchedText,
  slotOf,
} from './search-rules.ts';
import { createSearchStore, type NumberedSlot } from './search-store.ts';

/** Lists contain threads that are not deleted, newest number first, filtered by one of these. */
const filed = ['status', 'category', 'labels', 'chip_id', 'cooldown_id'] as const;

export const threadIndexes: readonly CollectionIndexes[] = [
  {
    collection: 'forum_threads',
    indexes: [
      { name: 'by_number', key: { project_id: 1, number: 1 }, unique: true },
      { name: 'newest', key: { project_id: 1, is_deleted: 1, number: -1 } },
      {
        name: 'by_target',
        key: { project_id: 1, is_deleted: 1, chip_id: 1, target_type: 1, target_id: 1, number: -1 },
      },
      ...filed.map((field) => ({
        name: `by_${field}`,
        key: { project_id: 1, is_deleted: 1, [field]: 1, number: -1 } as const,
      })),
    ],
  },
];

/** Maximum number of attempts to find a free number while others create threads. */
const NUMBER_ATTEMPTS = 100;

/** Maximum number of threads that a search reads at once. */
const READ_AT_ONCE = 1000;

interface ThreadPageRows {
  threads: ThreadDocument[];
  total: number;
}

export type ThreadStore = ReturnType<typeof createThreadStore>;

function numberedSlotOf(thread: ThreadDocument): NumberedSlot {
  return { number: thread.number, ...slotOf(thread) };
}

/** The threads of all forums. */
export function createThreadStore(db: Db) {
  const threads = db.collection<ThreadDocument>('forum_threads');
  const counts = db.collection<ForumCountDocument>('forum_counts');
  const texts = createSearchStore(db);
  const search = createSearch(texts);

  async function noteCount(
    projectId: ProjectId,
    update: { $max: { last_number: number } } | { $inc: { replies: number } },
  ): Promise<void> {
    await retryDuplicateKey(() => counts.updateOne({ _id: projectId }, update, { upsert: true }));
  }

  /** Number of threads and replies ever created in a project. */
  async function count(projectId: ProjectId): Promise<{ threads: number; replies: number }> {
    const found = await counts.findOne({ _id: projectId });
    return { threads: found?.last_number ?? 0, replies: found?.replies ?? 0 };
  }

  /** The number of the newest thread of a project, deleted or not; 0 without threads. */
  async function highestNumber(projectId: ProjectId): Promise<number> {
    const newest = await threads.findOne(
      { project_id: projectId },
      { sort: { number: -1 }, projection: { number: 1 } },
    );
    return newest?.number ?? 0;
  }

  /** Numbers of the threads that a list shows and that match the query, newest first. */
  async function numbersOf(
    projectId: ProjectId,
    { text, number }: Asked,
    narrowing: Narrowing,
  ): Promise<number[]> {
    const { threads: last } = await count(projectId);
    const { found, unknown } = await search.find(projectId, { part: text, narrowing, last });
    const numbers = new Set(found);
    const isShown = (thread: ThreadDocument) => !thread.is_deleted && isWithin(thread, narrowing);
    const toRead = number === null || numbers.has(number) ? unknown : [...new Set([...unknown, number])];
    for (let first = 0; first < toRead.length; first += READ_AT_ONCE) {
      const among = { $in: toRead.slice(first, first + READ_AT_ONCE) };
      const read = await threads.find({ project_id: projectId, number: among }).toArray();
      for (const thread of read.filter(isShown)) {
        if (thread.number === number || searchedText(thread).includes(text)) numbers.add(thread.number);
      }
      const isUnknown = new Set(unknown);
      await texts.settle(projectId, read.filter((each) => isUnknown.has(each.number)).map(numberedSlotOf));
    }
    return [...numbers].sort((a, b) => b - a);
  }

  /** Failures are ignored: the thread is stored, and searches read threads whose text is not indexed. */
  async function keepText(thread: ThreadDocument): Promise<void> {
    await texts.settle(thread.project_id, [numberedSlotOf(thread)]).catch(() => {});
  }

  async function pageOf(
    filter: Filter<ThreadDocument>,
    { skip, limit }: Pick<ThreadQuery, 'skip' | 'limit'>,
  ): Promise<ThreadPageRows> {
    const [found, total] = await Promise.all([
      threads.find(filter).sort({ number: -1 }).skip(skip).limit(limit).toArray(),
      threads.countDocuments(filter),
    ]);
    return { threads: found, total };
  }

  /** A page of the threads with the given numbers, newest first; the list shows all of them. */
  async function pageOfNumbers(
    projectId: ProjectId,
    numbers: readonly number[],
    { skip, limit }: Pick<ThreadQuery, 'skip' | 'limit'>,
  ): Promise<ThreadPageRows> {
    const among = { $in: numbers.slice(skip, skip + limit) };
    const found = await threads
      .find({ project_id: projectId, is_deleted: false, number: among })
      .sort({ number: -1 })
      .toArray();
    return { threads: found, total: numbers.length };
  }

  return {
    count,

    noteReply: (projectId: ProjectId) => noteCount(projectId, { $inc: { replies: 1 } }),

    /**
     * Stores a thread under the next number. The same write takes the number and stores the thread, so that a failure loses no
     * number; the count is only a starting point.
     */
    async insert(thread: Omit<ThreadDocument, '_id' | 'number'>): Promise<ThreadDocument> {
      const { project_id, id } = thread;
      const stored = await counts.findOne({ _id: project_id });
      let number = (stored?.last_number ?? 0) + 1;
      for (let attempt = 0; attempt < NUMBER_ATTEMPTS; attempt += 1) {
        const document = { _id: keyOf(project_id, id), ...thread, number };
        await texts.prepare(project_id, [placeOf(number).block]);
        try {
          await insertNew(threads, document);
          await Promise.all([noteCount(project_id, { $max: { last_number: number } }), keepText(document)]);
          return document;
        } catch (thrown) {
          if (!isDuplicateKey(thrown)) throw thrown;
          // Another thread has this number. If the count could not be written, many do; the newest thread has the highest.
          number = (await highestNumber(project_id)) + 1;
        }
      }
      throw new Error(`no number was free among ${NUMBER_ATTEMPTS}`);
    },

    /** A thread that is not deleted. */
    find: (projectId: ProjectId, id: string): Promise<ThreadDocument | null> =>
      threads.findOne({ _id: keyOf(projectId, id), is_deleted: false }),

    /** A page of threads, newest first, and their total number. */
    async page(
      projectId: ProjectId,
      { skip, limit, q, number, ...narrowing }: ThreadQuery,
    ): Promise<ThreadPageRows> {
      const asked = askedFor(q ?? '');
      if (asked) {
        const found = await numbersOf(projectId, asked, narrowing);
        const among = number === undefined ? found : found.filter((each) => each === number);
        return pageOfNumbers(projectId, among, { skip, limit });
      }
      const { status, label, ...equal } = narrowing;
      const given = Object.entries({ ...equal, labels: label, number }).filter(
        ([, value]) => value !== undefined,
      );
      const filter = {
        project_id: projectId,
        is_deleted: false,
        ...Object.fromEntries(given),
        ...(status !== 'all' && { status }),
      };
      return pageOf(filter, { skip, limit });
    },

    /** Records that a reply is being written, if the thread accepts replies. @returns false when it is resolved or deleted */
    async beginReply(thread: ThreadDocument): Promise<boolean> {
      const { matchedCount } = await threads.updateOne(
        { _id: thread._id, is_deleted: false, status: { $ne: 'resolved' } },
        { $inc: { revision: 1 } },
      );
      return matchedCount === 1;
    },

    /** Changes fields of a thread that has not changed since it was read; otherwise returns null. */
    async change(seen: ThreadDocument, fields: Partial<ThreadDocument>): Promise<ThreadDocument | null> {
      const { project_id, number } = seen;
      const revision = seen.revision + 1;
      const [before, after] = [seen, { ...seen, ...fields }].map((thread) => JSON.stringify(slotOf(thread)));
      const isOther = before !== after;
      if (isOther) await texts.takeBack(project_id, number, revision);
      const changed = await threads.findOneAndUpdate(
        { _id: seen._id, is_deleted: false, revision: seen.revision },
        { $set: { ...fields, revision } },
        { returnDocument: 'after' },
      );
      if (changed && isOther) await keepText(changed);
      return changed;
    },

    /** Hides a thread together with its replies; false if it was already hidden. */
    async remove(projectId: ProjectId, id: string): Promise<boolean> {
      const seen = await threads.findOne({ _id: keyOf(projectId, id), is_deleted: false });
      if (!seen) return false;
      await texts.takeBack(projectId, seen.number, seen.revision + 1);
      const removed = await threads.findOneAndUpdate(
        { _id: seen._id, is_deleted: false },
        { $set: { is_deleted: true, updated_at: new Date() }, $inc: { revision: 1 } },
        { returnDocument: 'after' },
      );
      if (removed) await keepText(removed);
      return removed !== null;
    },
  };
}
