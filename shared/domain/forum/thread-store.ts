import { type CollectionIndexes, type Db, isDuplicateKey, retryDuplicateKey } from '../../kernel/database.ts';
import { keyOf } from '../../kernel/ids.ts';
import type { ForumCountDocument, ThreadDocument, ThreadQuery } from './model.ts';
import { gramsOf, searchFilter } from './search-rules.ts';
import type { ThreadRow } from './wire.ts';

/** Lists are of threads that are not deleted, newest number first, narrowed by one of these. */
const filed = ['status', 'category', 'labels', 'chip_id', 'cooldown_id'] as const;

export const threadIndexes: readonly CollectionIndexes[] = [
  {
    collection: 'forum_threads',
    indexes: [
      { name: 'by_number', key: { project_id: 1, number: 1 }, unique: true },
      { name: 'newest', key: { project_id: 1, is_deleted: 1, number: -1 } },
      ...filed.map((field) => ({
        name: `by_${field}`,
        key: { project_id: 1, is_deleted: 1, [field]: 1, number: -1 } as const,
      })),
      { name: 'by_gram', key: { project_id: 1, grams: 1 } },
    ],
  },
];

/** Numbers that others may take while a thread is looking for one. */
const NUMBER_ATTEMPTS = 1000;

/** A read brings everything but what only the search needs. */
const row = { projection: { grams: 0 } } as const;

export type ThreadStore = ReturnType<typeof createThreadStore>;

/** The threads of all forums. */
export function createThreadStore(db: Db) {
  const threads = db.collection<ThreadDocument>('forum_threads');
  const counts = db.collection<ForumCountDocument>('forum_counts');

  async function noteCount(
    projectId: string,
    update: { $max: { last_number: number } } | { $inc: { replies: number } },
  ): Promise<void> {
    await retryDuplicateKey(() => counts.updateOne({ _id: projectId }, update, { upsert: true }));
  }

  return {
    /** How many threads and replies a project has had. */
    async count(projectId: string): Promise<{ threads: number; replies: number }> {
      const found = await counts.findOne({ _id: projectId });
      return { threads: found?.last_number ?? 0, replies: found?.replies ?? 0 };
    },

    noteReply: (projectId: string) => noteCount(projectId, { $inc: { replies: 1 } }),

    /**
     * Stores a thread under the next number. A number is taken by the very write that stores its thread, so none is
     * lost where that fails; the count only says where to begin.
     */
    async insert(thread: Omit<ThreadDocument, '_id' | 'number' | 'grams'>): Promise<ThreadDocument> {
      const { project_id, id } = thread;
      const stored = await counts.findOne({ _id: project_id });
      let number = (stored?.last_number ?? 0) + 1;
      for (let attempt = 0; attempt < NUMBER_ATTEMPTS; attempt += 1, number += 1) {
        const document = { _id: keyOf(project_id, id), ...thread, number, grams: gramsOf(thread) };
        try {
          await threads.insertOne(document);
          await noteCount(project_id, { $max: { last_number: number } });
          return document;
        } catch (thrown) {
          if (!isDuplicateKey(thrown)) throw thrown; // somebody else took the number
        }
      }
      throw new Error(`no number was free among ${NUMBER_ATTEMPTS}`);
    },

    /** A thread that is not deleted. */
    find: (projectId: string, id: string): Promise<ThreadRow | null> =>
      threads.findOne({ _id: keyOf(projectId, id), is_deleted: false }, row),

    /** A page of threads, the newest first, and how many there are. */
    async page(
      projectId: string,
      { skip, limit, q, status, label, ...equal }: ThreadQuery,
    ): Promise<{ threads: ThreadRow[]; total: number }> {
      const given = Object.entries(equal).filter(([, value]) => value !== undefined);
      const filter = {
        project_id: projectId,
        is_deleted: false,
        ...Object.fromEntries(given),
        ...(status !== 'all' && { status }),
        ...(label !== undefined && { labels: label }),
        ...(q !== undefined && searchFilter(q)),
      };
      const [found, total] = await Promise.all([
        threads.find(filter, row).sort({ number: -1 }).skip(skip).limit(limit).toArray(),
        threads.countDocuments(filter),
      ]);
      return { threads: found, total };
    },

    /** Notes that a reply is being written, if the thread takes one. @returns false when it is resolved or gone */
    async beginReply(thread: ThreadRow): Promise<boolean> {
      const { matchedCount } = await threads.updateOne(
        { _id: thread._id, is_deleted: false, status: { $ne: 'resolved' } },
        { $inc: { revision: 1 } },
      );
      return matchedCount === 1;
    },

    /** Changes fields of a thread that is still as it was seen; null when it is not. */
    change(seen: ThreadRow, fields: Partial<ThreadDocument>): Promise<ThreadRow | null> {
      return threads.findOneAndUpdate(
        { _id: seen._id, is_deleted: false, revision: seen.revision },
        { $set: { ...fields, grams: gramsOf({ ...seen, ...fields }) }, $inc: { revision: 1 } },
        { returnDocument: 'after', ...row },
      );
    },

    /** Hides a thread, and with it its replies; false when it was hidden before. */
    async remove(projectId: string, id: string): Promise<boolean> {
      const { modifiedCount } = await threads.updateOne(
        { _id: keyOf(projectId, id), is_deleted: false },
        { $set: { is_deleted: true, updated_at: new Date() }, $inc: { revision: 1 } },
      );
      return modifiedCount === 1;
    },
  };
}
