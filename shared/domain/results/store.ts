import type { Db, Filter } from 'mongodb';
import type { CollectionIndexes } from '../../kernel/database.ts';
import { keyOf } from '../../kernel/ids.ts';
import { secondsBetween } from '../../kernel/time.ts';
import type { TaskOutcome, TaskResultDocument } from './model.ts';
import type { TargetOutcome } from './outcome-rules.ts';
import { endOfOpenTask, type MeasuredStatus, openTaskStatuses } from './status-rules.ts';

const COLLECTION = 'task_results';

export const taskResultIndexes: CollectionIndexes = {
  collection: COLLECTION,
  indexes: [
    { name: 'by_task', key: { project_id: 1, task_id: 1 }, unique: true },
    { name: 'by_execution', key: { project_id: 1, execution_id: 1, start_at: 1, task_id: 1 } },
    { name: 'by_stage', key: { project_id: 1, execution_id: 1, stage: 1, qid: 1, index: 1 } },
    {
      name: 'by_target_of_execution',
      key: { project_id: 1, execution_id: 1, qid: 1, stage: -1, index: -1 },
    },
    { name: 'by_status_of_execution', key: { project_id: 1, execution_id: 1, status: 1 } },
    { name: 'by_closing', key: { project_id: 1, execution_id: 1, closed_at: 1, task_id: 1 } },
    { name: 'by_start', key: { project_id: 1, start_at: -1, task_id: 1 } },
    { name: 'by_chip', key: { project_id: 1, chip_id: 1, start_at: -1, task_id: 1 } },
    {
      name: 'by_task_of_chip',
      key: { project_id: 1, chip_id: 1, name: 1, qid: 1, start_at: -1, task_id: -1 },
    },
    { name: 'by_start_of_task', key: { project_id: 1, chip_id: 1, name: 1, start_at: -1, task_id: -1 } },
    { name: 'by_source', key: { project_id: 1, source_task_id: 1, start_at: 1, task_id: 1 } },
  ],
};

/** Filters of GET /task-results; all are exact, times inclusive, the message a part of it in any case. */
export interface TaskResultFilter {
  status?: string | undefined;
  chip_id?: string | undefined;
  task_name?: string | undefined;
  qid?: string | undefined;
  execution_id?: string | undefined;
  username?: string | undefined;
  start_from?: Date | undefined;
  start_to?: Date | undefined;
  message_contains?: string | undefined;
}

/** Tasks that are read at a time where an execution may hold thousands. */
const PAGE = 100;

type StartOrder = Pick<TaskResultDocument, 'start_at' | 'end_at' | 'created_at' | 'index' | 'task_id'>;

function inOrderOfStart(a: StartOrder, b: StartOrder): number {
  const moment = (task: StartOrder) => (task.start_at ?? task.end_at ?? task.created_at).getTime();
  return moment(a) - moment(b) || a.index - b.index || a.task_id.localeCompare(b.task_id);
}

/** A task as the summary of its stage needs it. */
export type StageRow = Pick<
  TaskResultDocument,
  'qid' | 'name' | 'status' | 'message' | 'index' | 'cooldown_id' | 'output_parameters'
>;

/** A task of a stage, by its target and its position in the stage's list. */
export type TargetTask = Pick<TaskResultDocument, 'qid' | 'index' | 'task_id' | 'status'>;

/** A task that has ended, as those who watch its run are told. */
export type ClosedTask = Pick<
  TaskResultDocument,
  'task_id' | 'name' | 'qid' | 'status' | 'message' | 'stage'
>;

export type TaskResultStore = ReturnType<typeof createTaskResultStore>;

/** Task results: one document per task occurrence, keyed by project and task id. */
export function createTaskResultStore(db: Db) {
  const tasks = db.collection<TaskResultDocument>(COLLECTION);

  function filterOf(projectId: string, filter: TaskResultFilter): Filter<TaskResultDocument> {
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
        : { message: { $regex: message_contains.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), $options: 'i' } }),
    };
  }

  return {
    /** Creates several tasks at once, each only if it is missing. */
    async createMany(documents: readonly TaskResultDocument[]): Promise<void> {
      if (documents.length === 0) return;
      const closed_at = new Date();
      await tasks.bulkWrite(
        documents.map(({ _id, ...fields }) => ({
          updateOne: {
            filter: { _id },
            update: { $setOnInsert: { ...fields, closed_at: fields.end_at && closed_at } },
            upsert: true,
          },
        })),
        { ordered: false },
      );
    },

    get(projectId: string, taskId: string): Promise<TaskResultDocument | null> {
      return tasks.findOne({ _id: keyOf(projectId, taskId) });
    },

    /**
     * Writes the outcome on a task that is still running and has none; the first one stays.
     * @returns the task with the outcome that stays, null when it has ended meanwhile.
     */
    async setOutcome(
      projectId: string,
      taskId: string,
      outcome: TaskOutcome,
      attempt: number,
    ): Promise<TaskResultDocument | null> {
      const _id = keyOf(projectId, taskId);
      const written = await tasks.findOneAndUpdate(
        { _id, status: 'running', outcome: { $exists: false } },
        { $set: { outcome, attempt } },
        { returnDocument: 'after' },
      );
      return written ?? tasks.findOne({ _id, status: 'running' });
    },

    /** Brings a running task to the end that its outcome names. End states never change. */
    async end(task: TaskResultDocument, outcome: TaskOutcome): Promise<void> {
      const start = outcome.start_at ?? task.start_at;
      await tasks.updateOne(
        { _id: task._id, status: 'running' },
        {
          $set: {
            status: outcome.status,
            message: outcome.message,
            output_parameters: outcome.outputs,
            output_parameter_names: Object.keys(outcome.outputs),
            quality_metrics: outcome.quality_metrics,
            figure_path: outcome.figure_path,
            json_figure_path: outcome.json_figure_path,
            raw_data_path: outcome.raw_data_path,
            start_at: start,
            end_at: outcome.end_at,
            closed_at: new Date(),
            elapsed_time: secondsBetween(start, outcome.end_at),
            deadline: null,
          },
          $unset: { outcome: '' },
        },
      );
    },

    /** Closes every task of an execution that is still open, when the execution itself ends. */
    async closeOpen(
      projectId: string,
      executionId: string,
      execution: MeasuredStatus,
      at: Date,
    ): Promise<void> {
      const end = endOfOpenTask(execution);
      const open = await tasks
        .find({ project_id: projectId, execution_id: executionId, status: { $in: [...openTaskStatuses] } })
        .project<Pick<TaskResultDocument, '_id' | 'start_at'>>({ start_at: 1 })
        .toArray();
      if (open.length === 0) return;
      await tasks.bulkWrite(
        open.map(({ _id, start_at }) => ({
          updateOne: {
            filter: { _id, status: { $in: [...openTaskStatuses] } },
            update: {
              $set: {
                status: end.status,
                message: end.message,
                end_at: at,
                closed_at: new Date(),
                elapsed_time: secondsBetween(start_at, at),
                deadline: null,
              },
              $unset: { outcome: '' as const },
            },
          },
        })),
        { ordered: false },
      );
    },

    /** Open tasks of an execution whose outcome is known: a writer stopped between it and the end status. */
    withOutcome(projectId: string, executionId: string): Promise<TaskResultDocument[]> {
      return tasks
        .find({
          project_id: projectId,
          execution_id: executionId,
          status: 'running',
          outcome: { $exists: true },
        })
        .toArray();
    },

    /** The task that a target ran last in an execution, null before its first. */
    async lastOf(projectId: string, executionId: string, qid: string): Promise<string | null> {
      const last = await tasks.findOne(
        { project_id: projectId, execution_id: executionId, qid },
        { sort: { stage: -1, index: -1 }, projection: { task_id: 1 } },
      );
      return last?.task_id ?? null;
    },

    /** How many tasks of an execution are in each status. */
    async countByStatus(
      projectId: string,
      executionId: string,
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

    /** Every task of a stage by target and position in the list, as far as its summary needs it. */
    stageRows(projectId: string, executionId: string, stage: number): AsyncIterable<StageRow> {
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
        })
        .sort({ qid: 1, index: 1 });
    },

    /** The tasks of these targets in a stage. */
    ofTargets(
      projectId: string,
      executionId: string,
      stage: number,
      qids: readonly string[],
    ): Promise<TargetTask[]> {
      return tasks
        .find({ project_id: projectId, execution_id: executionId, stage, qid: { $in: [...qids] } })
        .project<TargetTask>({ _id: 0, qid: 1, index: 1, task_id: 1, status: 1 })
        .toArray();
    },

    /** Tasks of an execution whose end was written after `from` and up to `to`, in that order. */
    closedBetween(projectId: string, executionId: string, from: Date, to: Date): Promise<ClosedTask[]> {
      return tasks
        .find({
          project_id: projectId,
          execution_id: executionId,
          closed_at: { $gt: from, $lte: to },
        })
        .project<ClosedTask>({ _id: 0, task_id: 1, name: 1, qid: 1, status: 1, message: 1, stage: 1 })
        .sort({ closed_at: 1, task_id: 1 })
        .toArray();
    },

    /** The latest time up to which a measurement that ran at `at` may take; null when none did. */
    async latestDeadline(projectId: string, executionId: string, at: Date): Promise<Date | null> {
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

    /** All tasks of an execution in order of start; a skipped task stands where it was skipped. */
    async ofExecution(projectId: string, executionId: string): Promise<TaskResultDocument[]> {
      const found = await tasks.find({ project_id: projectId, execution_id: executionId }).toArray();
      return found.sort(inOrderOfStart);
    },

    /** As {@link ofExecution}, a page at a time: of thousands of tasks only the places are in memory at once. */
    async *pagesOfExecution(projectId: string, executionId: string): AsyncGenerator<TaskResultDocument[]> {
      const places = await tasks
        .find({ project_id: projectId, execution_id: executionId })
        .project<StartOrder & { _id: string }>({
          start_at: 1,
          end_at: 1,
          created_at: 1,
          index: 1,
          task_id: 1,
        })
        .toArray();
      const keys = places.sort(inOrderOfStart).map(({ _id }) => _id);
      for (let start = 0; start < keys.length; start += PAGE) {
        const page = await tasks.find({ _id: { $in: keys.slice(start, start + PAGE) } }).toArray();
        yield page.sort(inOrderOfStart);
      }
    },

    /** How every task of an execution ended. */
    outcomes(projectId: string, executionId: string): Promise<TargetOutcome[]> {
      return tasks
        .find({ project_id: projectId, execution_id: executionId })
        .project<TargetOutcome>({ _id: 0, qid: 1, name: 1, status: 1, stage: 1, index: 1 })
        .toArray();
    },

    /** Tasks that were made from the given one, oldest first. */
    madeFrom(projectId: string, taskId: string): Promise<TaskResultDocument[]> {
      return tasks
        .find({ project_id: projectId, source_task_id: taskId })
        .sort({ start_at: 1, task_id: 1 })
        .toArray();
    },

    /** A page of results, newest first, with the count for the filter and counts per status without the status filter. */
    async list(projectId: string, filter: TaskResultFilter, page: { skip: number; limit: number }) {
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

    /** The newest result of a task for each target of a chip, by start, then task id; of a window where given. */
    async latestByTarget(
      projectId: string,
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

    /** A page of the results of a task on one target, newest first, with the count of all. */
    async ofTarget(
      projectId: string,
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
