import type { Collection } from 'mongodb';
import type { ExecutionId, ProjectId, TaskId } from '../../kernel/ids.ts';
import type { TaskResultDocument } from './model.ts';
import type { TargetOutcome } from './outcome-rules.ts';
import { createTaskPages } from './task-pages.ts';
import { createTimesOfTasks } from './times-of-tasks.ts';

/** The fields of a task that its stage's summary needs. */
export type StageRow = Pick<
  TaskResultDocument,
  'qid' | 'name' | 'status' | 'message' | 'index' | 'cooldown_id' | 'output_parameters' | 'goes_on'
>;

/** A task of a stage, with its target and its position in the stage's list. */
export type TargetTask = Pick<TaskResultDocument, 'qid' | 'index' | 'task_id' | 'status'>;

/** Queries for the tasks of one execution. */
export function createTasksOfExecution(tasks: Collection<TaskResultDocument>) {
  return {
    ...createTimesOfTasks(tasks),
    ...createTaskPages(tasks),

    /** The last task of a target in an execution, null if there is none. */
    async lastOf(projectId: ProjectId, executionId: ExecutionId, qid: string): Promise<TaskId | null> {
      const last = await tasks.findOne(
        { project_id: projectId, execution_id: executionId, qid },
        { sort: { stage: -1, index: -1 }, projection: { task_id: 1 } },
      );
      return last?.task_id ?? null;
    },

    /** The newest result of a task on a target in an execution, null if there is none. */
    async newestIn(
      projectId: ProjectId,
      executionId: ExecutionId,
      { name, qid }: { name: string; qid: string },
    ): Promise<{ task_id: TaskId } | null> {
      const ofTarget = await tasks
        .find({ project_id: projectId, execution_id: executionId, qid })
        .sort({ stage: -1, index: -1 })
        .project<{ name: string; task_id: TaskId }>({ _id: 0, name: 1, task_id: 1 })
        .toArray();
      return ofTarget.find((task) => task.name === name) ?? null;
    },

    /** Numbers of an execution's tasks by status. */
    async countByStatus(
      projectId: ProjectId,
      executionId: ExecutionId,
      stage?: number,
    ): Promise<Map<string, number>> {
      const rows = await tasks
        .aggregate<{ _id: string; count: number }>([
          {
            $match: {
              project_id: projectId,
              execution_id: executionId,
              ...(stage === undefined ? {} : { stage }),
            },
          },
          { $group: { _id: '$status', count: { $sum: 1 } } },
        ])
        .toArray();
      return new Map(rows.map((row) => [row._id, row.count]));
    },

    /** All tasks of a stage by target and position in the list, with the fields that the stage's summary needs. */
    stageRows(projectId: ProjectId, executionId: ExecutionId, stage: number): AsyncIterable<StageRow> {
      return tasks
        .find({ project_id: projectId, execution_id: executionId, stage })
        .project<StageRow>({
          _id: 0,
          qid: 1,
          name: 1,
          status: 1,
          message: 1,
          index: 1,
          cooldown_id: 1,
          output_parameters: 1,
          goes_on: 1,
        })
        .sort({ qid: 1, index: 1 });
    },

    /** The tasks of these targets in a stage. */
    ofTargets(
      projectId: ProjectId,
      executionId: ExecutionId,
      stage: number,
      qids: readonly string[],
    ): Promise<TargetTask[]> {
      return tasks
        .find({ project_id: projectId, execution_id: executionId, stage, qid: { $in: [...qids] } })
        .project<TargetTask>({ _id: 0, qid: 1, index: 1, task_id: 1, status: 1 })
        .toArray();
    },

    /** Outcomes of all tasks of an execution. */
    outcomes(projectId: ProjectId, executionId: ExecutionId): Promise<TargetOutcome[]> {
      return tasks
        .find({ project_id: projectId, execution_id: executionId })
        .project<TargetOutcome>({ _id: 0, qid: 1, name: 1, status: 1, stage: 1, index: 1 })
        .toArray();
    },
  };
}
