import type { Collection, Filter } from 'mongodb';
import type { ExecutionId, ProjectId, TaskId } from '../../kernel/ids.ts';
import { literalPattern } from '../../kernel/text.ts';
import type { largeFields, TaskCheck, TaskResultDocument } from './model.ts';

/** Filters of GET /task-results. They match exactly, times are inclusive, and the message is a case-insensitive substring. */
export interface TaskResultFilter {
  status?: string | undefined;
  chip_id?: string | undefined;
  task_name?: string | undefined;
  qid?: string | undefined;
  execution_id?: ExecutionId | undefined;
  username?: string | undefined;
  start_from?: Date | undefined;
  start_to?: Date | undefined;
  message_contains?: string | undefined;
}

/** Maximum number of checks that one question reads. */
const MAX_CHECKS = 5000;

/** A check that has ended. */
export type CheckRow = Pick<TaskResultDocument, 'qid' | 'name' | 'start_at' | 'end_at'> & {
  check: TaskCheck;
};

/** Results across executions: of a project, of a chip, of a target. */
export function createResultLists(tasks: Collection<TaskResultDocument>) {
  /** Target and key of the newest result of each of these tasks on each target. */
  async function newestOf(
    projectId: ProjectId,
    chipId: string,
    names: readonly string[],
    qids?: readonly string[],
  ): Promise<{ _id: string; id: string }[]> {
    const ofChip = { project_id: projectId, chip_id: chipId };
    const there = names.length === 1 ? null : new Set(await tasks.distinct('name', ofChip));
    const newest = await Promise.all(
      names
        .filter((name) => there === null || there.has(name))
        .map((name) =>
          tasks
            .aggregate<{ _id: string; id: string }>([
              { $match: { ...ofChip, name, ...(qids ? { qid: { $in: [...qids] } } : {}) } },
              { $sort: { qid: 1, start_at: -1, task_id: -1 } },
              { $group: { _id: '$qid', id: { $first: '$_id' } } },
            ])
            .toArray(),
        ),
    );
    return newest.flat();
  }

  return {
    /** Tasks that are re-executions of the given one, oldest first. */
    madeFrom(projectId: ProjectId, taskId: TaskId): Promise<TaskResultDocument[]> {
      return tasks
        .find({ project_id: projectId, source_task_id: taskId })
        .sort({ start_at: 1, task_id: 1 })
        .toArray();
    },

    /** The result of a project that started last, null if there is none. */
    newest(projectId: ProjectId): Promise<Pick<TaskResultDocument, 'chip_id'> | null> {
      return tasks.findOne(
        { project_id: projectId },
        { sort: { start_at: -1, task_id: 1 }, projection: { _id: 0, chip_id: 1 } },
      );
    },

    /** A page of results, newest first, with the count for the filter and counts per status without the status filter. */
    async list(projectId: ProjectId, filter: TaskResultFilter, page: { skip: number; limit: number }) {
      const withoutStatus = filterOf(projectId, { ...filter, status: undefined });
      const [items, groups] = await Promise.all([
        tasks
          .find(filterOf(projectId, filter))
          .sort({ start_at: -1, task_id: 1 })
          .skip(page.skip)
          .limit(page.limit)
          .toArray(),
        tasks
          .aggregate<{ _id: string; count: number }>([
            { $match: withoutStatus },
            { $group: { _id: '$status', count: { $sum: 1 } } },
          ])
          .toArray(),
      ]);
      const counts = Object.fromEntries(
        groups.map((group) => [group._id, group.count] as const).sort(([a], [b]) => a.localeCompare(b)),
      );
      const total = groups
        .filter((group) => filter.status === undefined || group._id === filter.status)
        .reduce((sum, group) => sum + group.count, 0);
      return { items, total, status_counts: counts };
    },

    /** The newest result of a task for each target of a chip, by start, then task id; within a time window if given. */
    async latestByTarget(
      projectId: ProjectId,
      chipId: string,
      taskName: string,
      started?: { from: Date; before: Date },
    ): Promise<Map<string, TaskResultDocument>> {
      const ofTask = { project_id: projectId, chip_id: chipId, name: taskName };
      const newest = await tasks
        .aggregate<{ _id: string; id: string }>([
          ...(started
            ? [
                { $match: { ...ofTask, start_at: { $gte: started.from, $lt: started.before } } },
                { $sort: { start_at: -1, task_id: -1 } },
              ]
            : [{ $match: ofTask }, { $sort: { qid: 1, start_at: -1, task_id: -1 } }]),
          { $group: { _id: '$qid', id: { $first: '$_id' } } },
        ])
        .toArray();
      const documents = await tasks.find({ _id: { $in: newest.map((row) => row.id) } }).toArray();
      return new Map(documents.map((document) => [document.qid, document]));
    },

    /**
     * The newest result of each of these tasks for the qubits of a chip, or for some of them, by `<task>/<qid>`. Task
     * names without results on the chip cost no extra query time.
     */
    async latestOfTasks(
      projectId: ProjectId,
      chipId: string,
      names: readonly string[],
      qids?: readonly string[],
    ): Promise<Map<string, TaskResultDocument>> {
      const newest = await newestOf(projectId, chipId, names, qids);
      const documents = await tasks.find({ _id: { $in: newest.map(({ id }) => id) } }).toArray();
      return byTaskAndTarget(documents);
    },

    /**
     * As {@link latestOfTasks}, for one part of the targets after another: only the keys of all results are in memory.
     * @param without fields that are not read and come as empty objects
     */
    async *latestInParts(
      projectId: ProjectId,
      chipId: string,
      names: readonly string[],
      {
        parts,
        without = [],
      }: { parts: readonly (readonly string[])[]; without?: readonly (typeof largeFields)[number][] },
    ): AsyncGenerator<Map<string, TaskResultDocument>> {
      const keys = new Map<string, string[]>();
      for (const { _id: qid, id } of await newestOf(projectId, chipId, names)) {
        const ofTarget = keys.get(qid);
        if (ofTarget) ofTarget.push(id);
        else keys.set(qid, [id]);
      }
      const projection = Object.fromEntries(without.map((name) => [name, 0 as const]));
      const unread = Object.fromEntries(without.map((name) => [name, {}]));
      for (const qids of parts) {
        const wanted = qids.flatMap((qid) => keys.get(qid) ?? []);
        const found =
          wanted.length === 0 ? [] : await tasks.find({ _id: { $in: wanted } }, { projection }).toArray();
        yield byTaskAndTarget(found.map((document) => ({ ...document, ...unread })));
      }
    },

    /** What failed on some targets of a chip since a time, in any order. Checks do not count: they find no values. */
    async failuresSince(
      projectId: ProjectId,
      chipId: string,
      qids: readonly string[],
      since: Date,
    ): Promise<Pick<TaskResultDocument, 'qid' | 'name' | 'message' | 'start_at' | 'end_at'>[]> {
      const ofTargets = { project_id: projectId, chip_id: chipId, qid: { $in: [...qids] } };
      return tasks
        .find({ ...ofTargets, start_at: { $gte: since }, status: 'failed', check: { $exists: false } })
        .project<Pick<TaskResultDocument, 'qid' | 'name' | 'message' | 'start_at' | 'end_at'>>({
          _id: 0,
          qid: 1,
          name: 1,
          message: 1,
          start_at: 1,
          end_at: 1,
        })
        .toArray();
    },

    /**
     * Checks that ended on some targets of a chip since a time, newest first; perhaps those of a task in some executions. Of very
     * many the oldest are left out.
     */
    async checksSince(
      projectId: ProjectId,
      chipId: string,
      {
        qids,
        since,
        of,
      }: {
        qids: readonly string[];
        since: Date;
        of?: { task: string; executions: readonly ExecutionId[] };
      },
    ): Promise<CheckRow[]> {
      const found = await tasks
        .find({
          project_id: projectId,
          chip_id: chipId,
          qid: { $in: [...qids] },
          ...(of && { name: of.task, execution_id: { $in: [...of.executions] } }),
          start_at: { $gte: since },
          status: 'completed',
          check: { $exists: true },
        })
        .project<Omit<CheckRow, 'check'> & { check?: TaskCheck }>({
          _id: 0,
          qid: 1,
          name: 1,
          check: 1,
          start_at: 1,
          end_at: 1,
        })
        .sort({ start_at: -1, task_id: 1 })
        .limit(MAX_CHECKS)
        .toArray();
      return found.flatMap(({ check, ...row }) => (check ? [{ ...row, check }] : []));
    },

    /** A page of the results of a task on one target, newest first, with the total number. */
    async ofTarget(
      projectId: ProjectId,
      of: { chip_id: string; name: string; qid: string },
      page: { skip: number; limit: number },
    ): Promise<{ items: TaskResultDocument[]; total: number }> {
      const filter = { project_id: projectId, ...of };
      const [items, total] = await Promise.all([
        tasks.find(filter).sort({ start_at: -1, task_id: -1 }).skip(page.skip).limit(page.limit).toArray(),
        tasks.countDocuments(filter),
      ]);
      return { items, total };
    },
  };
}

function byTaskAndTarget(documents: readonly TaskResultDocument[]): Map<string, TaskResultDocument> {
  return new Map(documents.map((document) => [`${document.name}/${document.qid}`, document]));
}

function filterOf(projectId: ProjectId, filter: TaskResultFilter): Filter<TaskResultDocument> {
  const { task_name, start_from, start_to, message_contains, ...equal } = filter;
  const exact = Object.fromEntries(Object.entries(equal).filter(([, value]) => value !== undefined));
  return {
    project_id: projectId,
    ...exact,
    ...(task_name === undefined ? {} : { name: task_name }),
    ...(start_from || start_to
      ? {
          start_at: {
            ...(start_from ? { $gte: start_from } : {}),
            ...(start_to ? { $lte: start_to } : {}),
          },
        }
      : {}),
    ...(message_contains === undefined
      ? {}
      : { message: { $regex: literalPattern(message_contains), $options: 'i' } }),
  };
}
