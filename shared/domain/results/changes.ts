import { LRUCache } from 'lru-cache';
import type { Collection } from 'mongodb';
import type { ExecutionId, ProjectId } from '../../kernel/ids.ts';
import type { TaskResultDocument } from './model.ts';

/**
 * Milliseconds before the newest change within which all changes are counted. A write that took longer than another one, or
 * whose process has a slow clock, is dated before changes that were visible earlier.
 */
const OVERLAP_MS = 60_000;

/** The fields of a result by which its changes are noticed. A new result has them too. */
export function firstRevision(): { revision: number; changed_at: Date } {
  return { revision: 1, changed_at: new Date() };
}

/**
 * Adds to an update what makes the change of a result noticeable. Every write of a field that lists or executions show needs
 * it; it belongs to the same atomic update.
 */
export function revised<Set extends object, Rest extends object>(update: { $set: Set } & Rest) {
  return { ...update, $set: { ...update.$set, changed_at: new Date() }, $inc: { revision: 1 } };
}

/** Identifies the state of a set of results: it differs after every change of one of them, and after each new one. */
export type StateOfResults = readonly (number | null)[];

/** Number of sets of results whose sums are remembered. */
const REMEMBERED = 1000;

/** Cheap reads of whether results have changed: their values are not read. */
export function createResultChanges(tasks: Collection<TaskResultDocument>) {
  async function sumsOf(filter: object): Promise<{ count: number; revisions: number }> {
    const [sums] = await tasks
      .aggregate<{ count: number; revisions: number }>([
        { $match: filter },
        // A store that collects what it groups has only this field of each result in memory.
        { $project: { _id: 0, revision: 1 } },
        { $group: { _id: null, count: { $sum: 1 }, revisions: { $sum: '$revision' } } },
      ])
      .toArray();
    return { count: sums?.count ?? 0, revisions: sums?.revisions ?? 0 };
  }

  /**
   * Sums that can no longer change without a later time of change. Twice the overlap after the newest change, every later write is
   * dated after it, even if the clock of this process is fast.
   */
  const remembered = new LRUCache<string, { latest: number; state: StateOfResults }>({ max: REMEMBERED });

  async function stateOf(filter: Readonly<Record<string, string>>): Promise<StateOfResults> {
    const began = Date.now();
    const newest = await tasks.findOne(filter, {
      sort: { changed_at: -1 },
      projection: { _id: 0, changed_at: 1 },
    });
    const latest = newest?.changed_at?.getTime();
    // Results of an earlier release have no time of change, and get one when they change.
    if (latest === undefined) return [newest === null ? 0 : 1];
    const key = JSON.stringify(filter);
    const known = remembered.get(key);
    if (known?.latest === latest) return known.state;
    const { count, revisions } = await sumsOf({
      ...filter,
      changed_at: { $gt: new Date(latest - OVERLAP_MS) },
    });
    const state = [latest, count, revisions];
    if (began - latest > 2 * OVERLAP_MS) remembered.set(key, { latest, state });
    else remembered.delete(key);
    return state;
  }

  return {
    /**
     * State of the results of an execution, or of a chip, or of one task on it. A run has up to 200,000 results and a chip millions,
     * so only those that changed last are counted; any later change has a later time or raises the count or the sum.
     */
    stateOfExecution: (projectId: ProjectId, executionId: ExecutionId): Promise<StateOfResults> =>
      stateOf({ project_id: projectId, execution_id: executionId }),

    /** As {@link stateOfExecution}, of a chip or of one task on it. */
    stateOfChip: (projectId: ProjectId, chipId: string, name?: string): Promise<StateOfResults> =>
      stateOf({ project_id: projectId, chip_id: chipId, ...(name !== undefined && { name }) }),
  };
}
