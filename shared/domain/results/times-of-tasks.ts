import type { Collection } from 'mongodb';
import type { ExecutionId, ProjectId } from '../../kernel/ids.ts';
import type { TaskResultDocument } from './model.ts';

/** When a task was measured, and when its outcome was written. */
export type TaskTimes = Pick<TaskResultDocument, 'start_at' | 'end_at' | 'closed_at'>;

/** A task that has ended, as reported to watchers of its run. */
export type ClosedTask = Pick<
  TaskResultDocument,
  'task_id' | 'name' | 'qid' | 'status' | 'message' | 'stage'
> & { closed_at: Date };

/** Queries for the times at which tasks were measured and closed. */
export function createTimesOfTasks(tasks: Collection<TaskResultDocument>) {
  return {
    /** Tasks of an execution whose end was written after `from` and not after `to`, in the order of writing. */
    closedBetween(
      projectId: ProjectId,
      executionId: ExecutionId,
      from: Date,
      to: Date,
    ): Promise<ClosedTask[]> {
      return tasks
        .find({
          project_id: projectId,
          execution_id: executionId,
          closed_at: { $gt: from, $lte: to },
        })
        .project<ClosedTask>({
          _id: 0,
          task_id: 1,
          name: 1,
          qid: 1,
          status: 1,
          message: 1,
          stage: 1,
          closed_at: 1,
        })
        .sort({ closed_at: 1, task_id: 1 })
        .toArray();
    },

    /** The latest deadline of the measurements that ran at `at`; null if none ran. */
    async latestDeadline(projectId: ProjectId, executionId: ExecutionId, at: Date): Promise<Date | null> {
      const open = await tasks
        .find({ project_id: projectId, execution_id: executionId, status: 'running' })
        .project<Pick<TaskResultDocument, 'deadline' | 'created_at'>>({ deadline: 1, created_at: 1 })
        .toArray();
      const running = open.filter(({ created_at }) => created_at <= at);
      return running.reduce<Date | null>(
        (latest, { deadline }) => (deadline && (!latest || deadline > latest) ? deadline : latest),
        null,
      );
    },

    /** When the tasks of an execution were measured and closed, in any order. */
    timesOfExecution(projectId: ProjectId, executionId: ExecutionId): AsyncIterable<TaskTimes> {
      return tasks.find({ project_id: projectId, execution_id: executionId }).project<TaskTimes>({
        _id: 0,
        start_at: 1,
        end_at: 1,
        closed_at: 1,
      });
    },

    /** The same for the tasks of a chip that started within a span of time. */
    timesOfChip(
      projectId: ProjectId,
      chipId: string,
      { from, to }: { from: Date; to: Date },
    ): AsyncIterable<TaskTimes> {
      return tasks
        .find({ project_id: projectId, chip_id: chipId, start_at: { $gte: from, $lt: to } })
        .project<TaskTimes>({ _id: 0, start_at: 1, end_at: 1, closed_at: 1 });
    },
  };
}
