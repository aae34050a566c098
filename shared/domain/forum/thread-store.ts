import { type CollectionIndexes, type Db, isDuplicateKey, retryDuplicateKey } from '../../kernel/database.ts';
import { keyOf, type ProjectId } from '../../kernel/ids.ts';
import { insertNew } from '../../kernel/insert-new.ts';
import type { ForumCountDocument, ThreadDocument } from './model.ts';
import { placeOf, slotOf } from './search-rules.ts';
import { createSearchStore } from './search-store.ts';
import { createThreadLists, numberedSlotOf } from './thread-lists.ts';

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

export type ThreadStore = ReturnType<typeof createThreadStore>;

/** The threads of all forums. */
export function createThreadStore(db: Db) {
  const threads = db.collection<ThreadDocument>('forum_threads');
  const counts = db.collection<ForumCountDocument>('forum_counts');
  const texts = createSearchStore(db);
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

  /** Failures are ignored: the thread is stored, and searches read threads whose text is not indexed. */
  async function keepText(thread: ThreadDocument): Promise<void> {
    await texts.settle(thread.project_id, [numberedSlotOf(thread)]).catch(() => {});
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

    ...createThreadLists({ threads, texts, count }),

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
