import type { Db } from 'mongodb';
import { type CollectionIndexes, retryDuplicateKey } from '../../kernel/database.ts';
import { type ExecutionId, keyOf, type ProjectId } from '../../kernel/ids.ts';
import { COUNTERS, type CounterDocument, createExecutionIds } from './execution-ids.ts';
import type { ExecutionDocument, ExecutionRequestDocument } from './model.ts';
import { createOpenExecutions } from './open-executions.ts';
import { type ExecutionStatus, openExecutionStatuses } from './status-rules.ts';

export const executionIndexes: readonly CollectionIndexes[] = [
  {
    collection: 'executions',
    indexes: [
      { name: 'by_execution', key: { project_id: 1, execution_id: 1 }, unique: true },
      { name: 'by_chip', key: { project_id: 1, chip_id: 1, start_at: -1, execution_id: -1 } },
      {
        name: 'by_chip_status',
        key: { project_id: 1, chip_id: 1, status: 1, start_at: -1, execution_id: -1 },
      },
      { name: 'by_end', key: { project_id: 1, chip_id: 1, end_at: 1, execution_id: 1 } },
      { name: 'by_name', key: { project_id: 1, chip_id: 1, name: 1, status: 1, start_at: -1 } },
      { name: 'by_start', key: { project_id: 1, start_at: -1, execution_id: -1 } },
      { name: 'by_flow_run', key: { project_id: 1, 'note.flow_run_id': 1 } },
      { name: 'by_flow_run_anywhere', key: { 'note.flow_run_id': 1 } },
      { name: 'by_status', key: { status: 1, created_at: 1 } },
      { name: 'by_tag', key: { project_id: 1, tags: 1 } },
    ],
  },
  { collection: 'execution_requests', indexes: [] },
  {
    collection: COUNTERS,
    indexes: [{ name: 'by_chip', key: { project_id: 1, chip_id: 1, date: 1 } }],
  },
];

/** When an execution was requested, started and ended, and what it waited for. */
export type ExecutionWithTimes = Pick<
  ExecutionDocument,
  | 'execution_id'
  | 'status'
  | 'note'
  | 'created_at'
  | 'start_at'
  | 'end_at'
  | 'waiting'
  | 'preempted'
  | 'paused'
  | 'waits'
>;
const timeFields = {
  status: 1,
  note: 1,
  created_at: 1,
  start_at: 1,
  end_at: 1,
  waiting: 1,
  preempted: 1,
  paused: 1,
  waits: 1,
};

export type ExecutionStore = ReturnType<typeof createExecutionStore>;

/** Executions, their requests, and the counters of their ids. */
export function createExecutionStore(db: Db) {
  const executions = db.collection<ExecutionDocument>('executions');
  const requests = db.collection<ExecutionRequestDocument>('execution_requests');
  const counters = db.collection<CounterDocument>(COUNTERS);

  return {
    request(projectId: ProjectId, executionId: ExecutionId): Promise<ExecutionRequestDocument | null> {
      return requests.findOne({ _id: keyOf(projectId, executionId) });
    },

    /** Adds to the processor time in milliseconds used by the code of a run's flow. */
    async noteFlowTime(projectId: ProjectId, executionId: ExecutionId, ms: number): Promise<void> {
      await requests.updateOne({ _id: keyOf(projectId, executionId) }, { $inc: { flow_ms: ms } });
    },

    /**
     * Inserts the execution unless it exists. Both the API and `begin` call it, in either order.
     * @returns the stored execution
     */
    async insert(execution: ExecutionDocument): Promise<ExecutionDocument> {
      const { _id, ...fields } = execution;
      const stored = await retryDuplicateKey(() =>
        executions.findOneAndUpdate(
          { _id },
          { $setOnInsert: fields },
          { upsert: true, returnDocument: 'after' },
        ),
      );
      return stored ?? execution;
    },

    /** Adopts a scheduled execution for the workflow that was started for it, once. */
    async adopt(projectId: ProjectId, executionId: ExecutionId, flowRunId: string, at: Date): Promise<void> {
      await executions.updateOne(
        { _id: keyOf(projectId, executionId), status: 'scheduled', 'note.flow_run_id': flowRunId },
        { $set: { status: 'running', start_at: at, 'note.claimed_at': at.toISOString() } },
      );
    },

    get(projectId: ProjectId, executionId: ExecutionId): Promise<ExecutionDocument | null> {
      return executions.findOne({ _id: keyOf(projectId, executionId) });
    },

    byFlowRun(projectId: ProjectId, flowRunId: string): Promise<ExecutionDocument | null> {
      return executions.findOne({ project_id: projectId, 'note.flow_run_id': flowRunId });
    },

    /** Whether any project has a run with this id, to distinguish unknown runs from those of other projects. */
    async flowRunExists(flowRunId: string): Promise<boolean> {
      const found = await executions.findOne({ 'note.flow_run_id': flowRunId }, { projection: { _id: 1 } });
      return found !== null;
    },

    /** The project's newest execution. */
    latest(projectId: ProjectId): Promise<ExecutionDocument | null> {
      return executions.findOne({ project_id: projectId }, { sort: { start_at: -1, execution_id: -1 } });
    },

    /** Executions of a chip, newest first, optionally only those with one status. */
    async list(
      projectId: ProjectId,
      chipId: string,
      page: { skip: number; limit: number; status?: ExecutionStatus | undefined },
    ) {
      const { status } = page;
      const filter = { project_id: projectId, chip_id: chipId, ...(status === undefined ? {} : { status }) };
      const [items, total] = await Promise.all([
        executions
          .find(filter)
          .sort({ start_at: -1, execution_id: -1 })
          .skip(page.skip)
          .limit(page.limit)
          .toArray(),
        executions.countDocuments(filter),
      ]);
      return { items, total };
    },

    /** Executions of a chip that were open at some time of a span. */
    openWithin(
      projectId: ProjectId,
      chipId: string,
      { from, to }: { from: Date; to: Date },
    ): AsyncIterable<ExecutionWithTimes> {
      return executions
        .find({
          project_id: projectId,
          chip_id: chipId,
          $or: [{ end_at: null }, { end_at: { $gt: from } }],
          created_at: { $lt: to },
        })
        .sort({ end_at: 1, execution_id: 1 })
        .project<ExecutionWithTimes>({ _id: 0, execution_id: 1, ...timeFields });
    },

    /** The newest completed executions of a chip with this name that were requested before a moment. */
    completedBefore(
      { project_id, chip_id, name, created_at }: ExecutionDocument,
      limit: number,
    ): Promise<ExecutionWithTimes[]> {
      return executions
        .find({ project_id, chip_id, name, status: 'completed', start_at: { $lt: created_at } })
        .sort({ start_at: -1 })
        .limit(limit)
        .project<ExecutionWithTimes>({ _id: 0, execution_id: 1, ...timeFields })
        .toArray();
    },

    /** Requests of these executions, in any order. */
    requests(
      projectId: ProjectId,
      executionIds: readonly ExecutionId[],
    ): Promise<ExecutionRequestDocument[]> {
      return requests.find({ _id: { $in: executionIds.map((id) => keyOf(projectId, id)) } }).toArray();
    },

    /** Days, as YYYYMMDD, on which a chip had executions, in order. */
    async days(projectId: ProjectId, chipId: string): Promise<string[]> {
      return (await counters.distinct('date', { project_id: projectId, chip_id: chipId })).sort();
    },

    /** Distinct tags of a project's executions, sorted by code unit. */
    async tags(projectId: ProjectId): Promise<string[]> {
      return (await executions.distinct('tags', { project_id: projectId })).sort();
    },

    /** The runs of a project that have ended, the oldest first. */
    endedOldestFirst(
      projectId: ProjectId,
    ): AsyncIterable<Pick<ExecutionDocument, 'execution_id' | 'start_at' | 'end_at'>> {
      return executions
        .find({ project_id: projectId, status: { $nin: [...openExecutionStatuses] } })
        .sort({ start_at: 1, execution_id: 1 })
        .project<Pick<ExecutionDocument, 'execution_id' | 'start_at' | 'end_at'>>({
          _id: 0,
          execution_id: 1,
          start_at: 1,
          end_at: 1,
        });
    },

    ...createExecutionIds({ executions, requests, counters }),
    ...createOpenExecutions(executions),
  };
}
