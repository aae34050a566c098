import type { Collection } from 'mongodb';
import type { ExecutionId, ProjectId, TaskId } from '../../kernel/ids.ts';
import type { largeFields, TaskResultDocument } from './model.ts';
import type { TargetOutcome } from './outcome-rules.ts';

/** When a task was measured, and when its outcome was written. */
export type TaskTimes = Pick<TaskResultDocument, 'start_at' | 'end_at' | 'closed_at'>;

/** Number of tasks read at a time, because an execution may have thousands. */
const PAGE = 100;

type StartOrder = Pick<TaskResultDocument, 'start_at' | 'end_at' | 'created_at' | 'index' | 'task_id'>;

/** The fields of an execution's task by which lists are sorted. */
export type PlacedTask = StartOrder & Pick<TaskResultDocument, 'qid' | 'task_type'>;

function inOrderOfStart(a: StartOrder, b: StartOrder): number {
  const moment = (task: StartOrder) => (task.start_at ?? task.end_at ?? task.created_at).getTime();
  return moment(a) - moment(b) || a.index - b.index || a.task_id.localeCompare(b.task_id);
}

/** The fields of a task that its stage's summary needs. */
export type StageRow = Pick<
  TaskResultDocument,
  'qid' | 'name' | 'status' | 'message' | 'index' | 'cooldown_id' | 'output_parameters' | 'goes_on'
>;

/** A task of a stage, with its target and its position in the stage's list. */
export type TargetTask = Pick<TaskResultDocument, 'qid' | 'index' | 'task_id' | 'status'>;

/** A task that has ended, as reported to watchers of its run. */
export type ClosedTask = Pick<
  TaskResultDocument,
  'task_id' | 'name' | 'qid' | 'status' | 'message' | 'stage'
> & { closed_at: Date };

/** Queries for the tasks of one execution. */
export function createTasksOfExecution(tasks: Collection<TaskResultDocument>) {
  return {
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

    /** All tasks of an execution in order of start; a skipped task is listed at the position where it was skipped. */
    async ofExecution(projectId: ProjectId, executionId: ExecutionId): Promise<TaskResultDocument[]> {
      const found = await tasks.find({ project_id: projectId, execution_id: executionId }).toArray();
      return found.sort(inOrderOfStart);
    },

    /**
     * As {@link ofExecution}, a page at a time: only the fields for sorting are in memory for all tasks.
     * @param arranged sorts the tasks, which arrive in order of start, into another order
     * @param skip, limit select a part of the sorted tasks
     * @param without fields that are not read and come as empty objects
     */
    async *pagesOfExecution(
      projectId: ProjectId,
      executionId: ExecutionId,
      {
        arranged = (places) => places,
        skip = 0,
        limit,
        without = [],
      }: {
        arranged?: (<Place extends PlacedTask>(places: Place[]) => Place[]) | undefined;
        skip?: number | undefined;
        limit?: number | undefined;
        without?: readonly (typeof largeFields)[number][] | undefined;
      } = {},
    ): AsyncGenerator<TaskResultDocument[]> {
      const places = await tasks
        .find({ project_id: projectId, execution_id: executionId })
        .project<PlacedTask & { _id: string }>({
          start_at: 1,
          end_at: 1,
          created_at: 1,
          index: 1,
          task_id: 1,
          qid: 1,
          task_type: 1,
        })
        .toArray();
      const keys = arranged(places.sort(inOrderOfStart))
        .slice(skip, limit === undefined ? undefined : skip + limit)
        .map(({ _id }) => _id);
      const projection = Object.fromEntries(without.map((name) => [name, 0 as const]));
      const unread = Object.fromEntries(without.map((name) => [name, {}]));
      for (let start = 0; start < keys.length; start += PAGE) {
        const wanted = keys.slice(start, start + PAGE);
        const page = await tasks.find({ _id: { $in: wanted } }, { projection }).toArray();
        const byKey = new Map(page.map((task) => [task._id, { ...unread, ...task }]));
        yield wanted.flatMap((key) => byKey.get(key) ?? []);
      }
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
