import type { Db } from 'mongodb';
import { coalesced } from '../../kernel/coalesced-reads.ts';
import { type CollectionIndexes, isDuplicateKey, retryDuplicateKey } from '../../kernel/database.ts';
import { keyOf, type ProjectId } from '../../kernel/ids.ts';
import { insertNew } from '../../kernel/insert-new.ts';
import { isoTime, secondsBetween } from '../../kernel/time.ts';
import { formatExecutionId, parseExecutionId } from './id-rules.ts';
import type { ExecutionDocument, ExecutionNote, ExecutionRequestDocument } from './model.ts';
import type { ControlRequest, Waiting } from './status-rules.ts';
import { type ExecutionEndStatus, type ExecutionStatus, openExecutionStatuses } from './status-rules.ts';

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
      { name: 'by_start', key: { project_id: 1, start_at: -1, execution_id: -1 } },
      { name: 'by_flow_run', key: { project_id: 1, 'note.flow_run_id': 1 } },
      { name: 'by_flow_run_anywhere', key: { 'note.flow_run_id': 1 } },
      { name: 'by_status', key: { status: 1, created_at: 1 } },
      { name: 'by_tag', key: { project_id: 1, tags: 1 } },
    ],
  },
  { collection: 'execution_requests', indexes: [] },
  {
    collection: 'execution_counters',
    indexes: [{ name: 'by_chip', key: { project_id: 1, chip_id: 1, date: 1 } }],
  },
];

interface CounterDocument {
  _id: string;
  project_id: ProjectId;
  chip_id: string;
  date: string;
  index: number;
}

/** Maximum number of attempts to find a free execution id; more would mean that thousands of chips share a day. */
const RESERVATION_ATTEMPTS = 10_000;

/** What metrics show of an open run. */
export type OpenExecution = Pick<
  ExecutionDocument,
  | 'project_id'
  | 'backend'
  | 'status'
  | 'created_at'
  | 'trouble'
  | 'cancel_requested_at'
  | 'paused'
  | 'waiting'
>;

export type ExecutionStore = ReturnType<typeof createExecutionStore>;

/** Executions, their requests, and the counters of their ids. */
export function createExecutionStore(db: Db) {
  const executions = db.collection<ExecutionDocument>('executions');
  const requests = db.collection<ExecutionRequestDocument>('execution_requests');
  const counters = db.collection<CounterDocument>('execution_counters');
  const open = { $in: [...openExecutionStatuses] };
  const asked = coalesced((ids) =>
    executions
      .find({ _id: { $in: [...ids] } }, { projection: { paused: 1, stopping: 1, cancel_requested_at: 1 } })
      .toArray(),
  );

  return {
    /**
     * Reserves the next execution id of (project, day, chip) and stores the request under it. Ids that another chip of the
     * project already uses are skipped; the insert decides, so no id is used twice.
     */
    async reserve(
      at: { project_id: ProjectId; chip_id: string; day: string },
      request: Omit<ExecutionRequestDocument, '_id' | 'project_id' | 'execution_id' | 'created_at'>,
    ): Promise<string> {
      const counter = keyOf(at.project_id, at.day, at.chip_id);
      for (let attempt = 0; attempt < RESERVATION_ATTEMPTS; attempt += 1) {
        const document = await retryDuplicateKey(() =>
          counters.findOneAndUpdate(
            { _id: counter },
            {
              $inc: { index: 1 },
              $setOnInsert: { project_id: at.project_id, chip_id: at.chip_id, date: at.day },
            },
            { upsert: true, returnDocument: 'after' },
          ),
        );
        const executionId = formatExecutionId(at.day, (document?.index ?? 1) - 1);
        try {
          await insertNew(requests, {
            _id: keyOf(at.project_id, executionId),
            project_id: at.project_id,
            execution_id: executionId,
            ...request,
            created_at: new Date(),
          });
          return executionId;
        } catch (thrown) {
          if (!isDuplicateKey(thrown)) throw thrown;
        }
      }
      throw new Error(`no free execution id on ${at.day}`);
    },

    /**
     * Releases the id of a refused start. Its number is used again unless a later one was reserved and kept, so numbers may have
     * gaps.
     */
    async release({
      project_id,
      chip_id,
      execution_id,
    }: Pick<ExecutionDocument, 'project_id' | 'chip_id' | 'execution_id'>): Promise<void> {
      await requests.deleteOne({ _id: keyOf(project_id, execution_id) });
      const day = parseExecutionId(execution_id)?.day;
      if (day === undefined) return;
      const counter = keyOf(project_id, day, chip_id);
      for (;;) {
        const last = await counters.findOne({ _id: counter });
        if (!last || last.index === 0) return;
        // If the returned number is still in use, the insert of the next start fails and it takes the next number.
        const _id = keyOf(project_id, formatExecutionId(day, last.index - 1));
        const idOnly = { projection: { _id: 1 } };
        const users = await Promise.all([
          requests.findOne({ _id }, idOnly),
          executions.findOne({ _id }, idOnly),
        ]);
        if (users.some((user) => user !== null)) return;
        const lowered = await counters.updateOne(
          { _id: counter, index: last.index },
          { $inc: { index: -1 } },
        );
        if (lowered.modifiedCount === 0) return;
        if (last.index === 1) await counters.deleteOne({ _id: counter, index: 0 });
      }
    },

    request(projectId: ProjectId, executionId: string): Promise<ExecutionRequestDocument | null> {
      return requests.findOne({ _id: keyOf(projectId, executionId) });
    },

    /** Adds to the processor time in milliseconds used by the code of a run's flow. */
    async noteFlowTime(projectId: ProjectId, executionId: string, ms: number): Promise<void> {
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
    async adopt(projectId: ProjectId, executionId: string, flowRunId: string, at: Date): Promise<void> {
      await executions.updateOne(
        { _id: keyOf(projectId, executionId), status: 'scheduled', 'note.flow_run_id': flowRunId },
        { $set: { status: 'running', start_at: at, 'note.claimed_at': at.toISOString() } },
      );
    },

    get(projectId: ProjectId, executionId: string): Promise<ExecutionDocument | null> {
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

    /** Days, as YYYYMMDD, on which a chip had executions, in order. */
    async days(projectId: ProjectId, chipId: string): Promise<string[]> {
      return (await counters.distinct('date', { project_id: projectId, chip_id: chipId })).sort();
    },

    /** Distinct tags of a project's executions, sorted by code unit. */
    async tags(projectId: ProjectId): Promise<string[]> {
      return (await executions.distinct('tags', { project_id: projectId })).sort();
    },

    /** Open executions of all projects, for the reconciler. */
    open(limit: number): Promise<ExecutionDocument[]> {
      return executions.find({ status: open }).sort({ status: 1, created_at: 1 }).limit(limit).toArray();
    },

    /** What metrics show of the open runs of all projects. */
    async openRuns(limit: number): Promise<OpenExecution[]> {
      return executions
        .find({ status: open })
        .project<OpenExecution>({
          ...{ _id: 0, project_id: 1, backend: 1, status: 1, created_at: 1 },
          ...{ trouble: 1, cancel_requested_at: 1, paused: 1, waiting: 1 },
        })
        .limit(limit)
        .toArray();
    },

    /** Records in every open run that this worker process has taken over after a time without workers. */
    async noteResumed(worker: string, at: Date): Promise<void> {
      await executions.updateMany(
        { status: 'running' },
        { $set: { 'note.resumed_at': isoTime(at), 'note.resumed_by': worker } },
      );
    },

    /** Records in an execution which run retries it; the newest one is kept. */
    async noteRetry(projectId: ProjectId, executionId: string, retriedBy: string): Promise<void> {
      await executions.updateOne(
        { _id: keyOf(projectId, executionId) },
        { $set: { 'note.retried_by': retriedBy } },
      );
    },

    /** Whether a user has stopped new measurements of a run: paused it, stopped it, or requested a cancel. */
    async isHeldBack(projectId: ProjectId, executionId: string): Promise<boolean> {
      const execution = await asked(keyOf(projectId, executionId));
      return Boolean(execution?.paused || execution?.stopping || execution?.cancel_requested_at);
    },

    /** Records when a cancel was first requested. */
    async noteCancelRequest(execution: Pick<ExecutionDocument, '_id'>, at: Date): Promise<void> {
      await executions.updateOne(
        { _id: execution._id, status: open, cancel_requested_at: null },
        { $set: { cancel_requested_at: at } },
      );
    },

    /** Records the pause and stop requests that a run's workflow has; does not overwrite a newer pause. */
    async noteControl(
      projectId: ProjectId,
      executionId: string,
      control: { paused: ControlRequest | null; stopping: ControlRequest | null; changed_at: string | null },
    ): Promise<void> {
      const { paused, stopping, changed_at } = control;
      await executions.updateOne(
        {
          _id: keyOf(projectId, executionId),
          status: open,
          $or: [{ paused: null }, { 'paused.at': { $lte: changed_at ?? '' } }],
        },
        { $set: { paused, stopping } },
      );
    },

    /** Pauses an open run that is not paused, or resumes a paused one. @returns false if the run is in another state. */
    async changePause(
      execution: Pick<ExecutionDocument, '_id'>,
      paused: ControlRequest | null,
    ): Promise<boolean> {
      const { matchedCount } = await executions.updateOne(
        { _id: execution._id, status: open, paused: paused ? null : { $ne: null } },
        { $set: { paused } },
      );
      return matchedCount === 1;
    },

    async noteStop(execution: Pick<ExecutionDocument, '_id'>, stopping: ControlRequest): Promise<boolean> {
      const { matchedCount } = await executions.updateOne(
        { _id: execution._id, status: open },
        { $set: { stopping } },
      );
      return matchedCount === 1;
    },

    /** Records what keeps an open run from continuing; null if nothing does. */
    async noteTrouble(
      { _id, trouble: known = null }: Pick<ExecutionDocument, '_id' | 'trouble'>,
      trouble: Waiting | null,
    ): Promise<void> {
      if (known?.for === trouble?.for && known?.since === trouble?.since) return;
      await executions.updateOne({ _id, status: open }, { $set: { trouble } });
    },

    /** Records what an open run waits for; null while it continues. */
    async noteWaiting(projectId: ProjectId, executionId: string, waiting: Waiting | null): Promise<void> {
      await executions.updateOne({ _id: keyOf(projectId, executionId), status: open }, { $set: { waiting } });
    },

    /** Shows the results of finished stages in an open run. */
    async noteStages(
      projectId: ProjectId,
      executionId: string,
      stages: NonNullable<ExecutionNote['stages']>,
      message: string,
    ): Promise<void> {
      await executions.updateOne(
        { _id: keyOf(projectId, executionId), status: open },
        { $set: { message, 'note.stages': stages } },
      );
    },

    /** Ends an open execution; an end state never changes. */
    async end(
      projectId: ProjectId,
      executionId: string,
      end: {
        status: ExecutionEndStatus;
        message: string;
        crashed: boolean;
        stages: NonNullable<ExecutionNote['stages']>;
        at: Date;
      },
    ): Promise<void> {
      const _id = keyOf(projectId, executionId);
      const execution = await executions.findOne({ _id }, { projection: { start_at: 1 } });
      await executions.updateOne(
        { _id, status: open },
        {
          $set: {
            status: end.status,
            message: end.message,
            end_at: end.at,
            elapsed_time: secondsBetween(execution?.start_at, end.at),
            'note.stages': end.stages,
            crashed: end.crashed,
            paused: null,
            waiting: null,
            trouble: null,
          },
        },
      );
    },
  };
}
