import type { Db } from 'mongodb';
import { coalesced } from '../../kernel/coalesced-reads.ts';
import { type CollectionIndexes, isDuplicateKey, retryDuplicateKey } from '../../kernel/database.ts';
import { keyOf } from '../../kernel/ids.ts';
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
  project_id: string;
  chip_id: string;
  date: string;
  index: number;
}

/** Attempts to find a free execution id; more would mean that thousands of chips share a day. */
const RESERVATION_ATTEMPTS = 10_000;

export type ExecutionStore = ReturnType<typeof createExecutionStore>;

/** Executions, what they were asked to do, and the counters that make their ids. */
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
     * Takes the next execution id of (project, day, chip) and stores the request under it. An id that
     * another chip of the project has already is passed over; insertion decides, so none is given twice.
     */
    async reserve(
      at: { project_id: string; chip_id: string; day: string },
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
     * Gives back the id of a start that was refused. Its number is used again unless a later one was taken and kept, so
     * numbers may have gaps.
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
        // A start that takes a returned number which is still in use is refused and takes the next one.
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

    request(projectId: string, executionId: string): Promise<ExecutionRequestDocument | null> {
      return requests.findOne({ _id: keyOf(projectId, executionId) });
    },

    /** Adds to the milliseconds of processor time that the code of a run's flow has had. */
    async noteFlowTime(projectId: string, executionId: string, ms: number): Promise<void> {
      await requests.updateOne({ _id: keyOf(projectId, executionId) }, { $inc: { flow_ms: ms } });
    },

    /**
     * Inserts the execution unless it is there; API and `begin` both do, whoever comes first.
     * @returns the one that is there
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
    async adopt(projectId: string, executionId: string, flowRunId: string, at: Date): Promise<void> {
      await executions.updateOne(
        { _id: keyOf(projectId, executionId), status: 'scheduled', 'note.flow_run_id': flowRunId },
        { $set: { status: 'running', start_at: at, 'note.claimed_at': at.toISOString() } },
      );
    },

    get(projectId: string, executionId: string): Promise<ExecutionDocument | null> {
      return executions.findOne({ _id: keyOf(projectId, executionId) });
    },

    byFlowRun(projectId: string, flowRunId: string): Promise<ExecutionDocument | null> {
      return executions.findOne({ project_id: projectId, 'note.flow_run_id': flowRunId });
    },

    /** Whether any project has a run of this id; tells what is unknown from what is another project's. */
    async flowRunExists(flowRunId: string): Promise<boolean> {
      const found = await executions.findOne({ 'note.flow_run_id': flowRunId }, { projection: { _id: 1 } });
      return found !== null;
    },

    /** The project's newest execution. */
    latest(projectId: string): Promise<ExecutionDocument | null> {
      return executions.findOne({ project_id: projectId }, { sort: { start_at: -1, execution_id: -1 } });
    },

    /** Executions of a chip, newest first; only those of one status where it is given. */
    async list(
      projectId: string,
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
    async days(projectId: string, chipId: string): Promise<string[]> {
      return (await counters.distinct('date', { project_id: projectId, chip_id: chipId })).sort();
    },

    /** Every tag of a project's executions once, by code unit. */
    async tags(projectId: string): Promise<string[]> {
      return (await executions.distinct('tags', { project_id: projectId })).sort();
    },

    /** Executions of all projects that are not at an end, for the reconciler. */
    open(limit: number): Promise<ExecutionDocument[]> {
      return executions.find({ status: open }).sort({ status: 1, created_at: 1 }).limit(limit).toArray();
    },

    /** Since when each run of all projects is open, and whether something keeps it from going on. */
    async openRuns(limit: number): Promise<{ project_id: string; since: Date; stuck: boolean }[]> {
      const found = await executions
        .find({ status: open })
        .project<Pick<ExecutionDocument, 'project_id' | 'created_at' | 'trouble'>>({
          _id: 0,
          project_id: 1,
          created_at: 1,
          trouble: 1,
        })
        .limit(limit)
        .toArray();
      return found.map(({ project_id, created_at, trouble }) => ({
        project_id,
        since: created_at,
        stuck: Boolean(trouble),
      }));
    },

    /** Notes on every run under way that a worker process carries it on from here, since no other was there. */
    async noteResumed(worker: string, at: Date): Promise<void> {
      await executions.updateMany(
        { status: 'running' },
        { $set: { 'note.resumed_at': isoTime(at), 'note.resumed_by': worker } },
      );
    },

    /** Notes on an execution which run retries it; of several the newest. */
    async noteRetry(projectId: string, executionId: string, retriedBy: string): Promise<void> {
      await executions.updateOne(
        { _id: keyOf(projectId, executionId) },
        { $set: { 'note.retried_by': retriedBy } },
      );
    },

    /** Whether people asked a run to begin no measurement: they paused it, stopped it, or are cancelling it. */
    async isHeldBack(projectId: string, executionId: string): Promise<boolean> {
      const execution = await asked(keyOf(projectId, executionId));
      return Boolean(execution?.paused || execution?.stopping || execution?.cancel_requested_at);
    },

    /** Notes when cancel was first asked for. */
    async noteCancelRequest(execution: Pick<ExecutionDocument, '_id'>, at: Date): Promise<void> {
      await executions.updateOne(
        { _id: execution._id, status: open, cancel_requested_at: null },
        { $set: { cancel_requested_at: at } },
      );
    },

    /** Notes what was asked of a run, as its workflow has it; not where people have paused it since. */
    async noteControl(
      projectId: string,
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

    /** Pauses an open run that is not paused, or lets a paused one go on. @returns false where it is not so. */
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

    /** Notes what keeps an open run from going on, null when nothing does. */
    async noteTrouble(
      { _id, trouble: known = null }: Pick<ExecutionDocument, '_id' | 'trouble'>,
      trouble: Waiting | null,
    ): Promise<void> {
      if (known?.for === trouble?.for && known?.since === trouble?.since) return;
      await executions.updateOne({ _id, status: open }, { $set: { trouble } });
    },

    /** Notes what an open run waits for, null when it goes on. */
    async noteWaiting(projectId: string, executionId: string, waiting: Waiting | null): Promise<void> {
      await executions.updateOne({ _id: keyOf(projectId, executionId), status: open }, { $set: { waiting } });
    },

    /** Shows in an open run what its stages have come to so far. */
    async noteStages(
      projectId: string,
      executionId: string,
      stages: NonNullable<ExecutionNote['stages']>,
      message: string,
    ): Promise<void> {
      await executions.updateOne(
        { _id: keyOf(projectId, executionId), status: open },
        { $set: { message, 'note.stages': stages } },
      );
    },

    /** Brings an open execution to its end; an end state never changes. */
    async end(
      projectId: string,
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
