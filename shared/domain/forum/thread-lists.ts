import type { Collection, Filter } from 'mongodb';
import type { ProjectId } from '../../kernel/ids.ts';
import type { ThreadDocument, ThreadQuery } from './model.ts';
import { createSearch } from './search.ts';
import { type Asked, askedFor, isWithin, type Narrowing, searchedText, slotOf } from './search-rules.ts';
import type { createSearchStore, NumberedSlot } from './search-store.ts';

/** Maximum number of threads that a search reads at once. */
const READ_AT_ONCE = 1000;

interface ThreadPageRows {
  threads: ThreadDocument[];
  total: number;
}

/** What a search needs of a thread, with its number. */
export function numberedSlotOf(thread: ThreadDocument): NumberedSlot {
  return { number: thread.number, ...slotOf(thread) };
}

/** Pages of threads: all of a project, or those that a search finds. */
export function createThreadLists({
  threads,
  texts,
  count,
}: {
  threads: Collection<ThreadDocument>;
  texts: ReturnType<typeof createSearchStore>;
  /** Number of threads and replies ever created in a project. */
  count(projectId: ProjectId): Promise<{ threads: number; replies: number }>;
}) {
  const search = createSearch(texts);

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

  /** A page of the threads that match a filter, newest first. */
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
  };
}
