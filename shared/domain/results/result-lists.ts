import type { Collection, Filter } from 'mongodb';
import type { ExecutionId, ProjectId, TaskId } from '../../kernel/ids.ts';
import { literalPattern } from '../../kernel/text.ts';
import type { TaskResultDocument } from './model.ts';

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

/** Results across executions: of a project, of a chip, of a target. */
export function createResultLists(tasks: Collection<TaskResultDocument>) {
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
