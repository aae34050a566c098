import type { Collection } from 'mongodb';
import { coalesced } from '../../kernel/coalesced-reads.ts';
import { type ExecutionId, keyOf, type ProjectId } from '../../kernel/ids.ts';
import { isoTime, secondsBetween } from '../../kernel/time.ts';
import type { ExecutionDocument, ExecutionNote, PastWait } from './model.ts';
import type { ControlRequest, ExecutionEndStatus, Preempted, Waiting } from './status-rules.ts';
import { openExecutionStatuses } from './status-rules.ts';

/** What metrics show of an open run. */
export type OpenExecution = Pick<
  ExecutionDocument,
  | 'project_id'
  | 'execution_id'
  | 'preempts'
  | 'backend'
  | 'status'
  | 'created_at'
  | 'trouble'
  | 'cancel_requested_at'
  | 'paused'
  | 'preempted'
  | 'waiting'
>;

/** Maximum number of past waits that an execution keeps. */
const WAITS = 200;

/** Reads and changes of executions that have not ended. */
export function createOpenExecutions(executions: Collection<ExecutionDocument>) {
  const open = { $in: [...openExecutionStatuses] };
  const asked = coalesced((ids) =>
    executions
      .find({ _id: { $in: [...ids] } }, { projection: { paused: 1, stopping: 1, cancel_requested_at: 1 } })
      .toArray(),
  );

  /** Keeps a wait that is over, for the account of the run's time; the first ones only. */
  async function keepWait(
    _id: string,
    { since, kind, until }: { since: string; kind?: PastWait['kind'] | undefined; until?: Date },
  ): Promise<void> {
    const wait: PastWait = { ...(kind && { kind }), from: new Date(since), to: until ?? new Date() };
    await executions.updateOne(
      { _id, [`waits.${WAITS - 1}`]: { $exists: false } },
      { $push: { waits: wait } },
    );
  }

  return {
    /** Open executions of all projects, for the reconciler. */
    open(limit: number): Promise<ExecutionDocument[]> {
      return executions.find({ status: open }).sort({ status: 1, created_at: 1 }).limit(limit).toArray();
    },

    /** What metrics show of the open runs of all projects. */
    async openRuns(limit: number): Promise<OpenExecution[]> {
      return executions
        .find({ status: open })
        .project<OpenExecution>({
          ...{ _id: 0, project_id: 1, execution_id: 1, preempts: 1, backend: 1, status: 1, created_at: 1 },
          ...{ trouble: 1, cancel_requested_at: 1, paused: 1, preempted: 1, waiting: 1 },
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
    async noteRetry(projectId: ProjectId, executionId: ExecutionId, retriedBy: string): Promise<void> {
      await executions.updateOne(
        { _id: keyOf(projectId, executionId) },
        { $set: { 'note.retried_by': retriedBy } },
      );
    },

    /** Whether a user has stopped new measurements of a run: paused it, stopped it, or requested a cancel. */
    async isHeldBack(projectId: ProjectId, executionId: ExecutionId): Promise<boolean> {
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
      executionId: ExecutionId,
      control: { paused: ControlRequest | null; stopping: ControlRequest | null; changed_at: string | null },
    ): Promise<void> {
      const { paused, stopping, changed_at } = control;
      const before = await executions.findOneAndUpdate(
        {
          _id: keyOf(projectId, executionId),
          status: open,
          $or: [{ paused: null }, { 'paused.at': { $lte: changed_at ?? '' } }],
        },
        { $set: { paused, stopping } },
        { projection: { paused: 1 } },
      );
      if (before?.paused && !paused) await keepWait(before._id, { since: before.paused.at, kind: 'resume' });
    },

    /** Pauses an open run that is not paused, or resumes a paused one. @returns false if the run is in another state. */
    async changePause(
      execution: Pick<ExecutionDocument, '_id'>,
      paused: ControlRequest | null,
    ): Promise<boolean> {
      const before = await executions.findOneAndUpdate(
        { _id: execution._id, status: open, paused: paused ? null : { $ne: null } },
        { $set: { paused } },
        { projection: { paused: 1 } },
      );
      if (before?.paused) await keepWait(before._id, { since: before.paused.at, kind: 'resume' });
      return before !== null;
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
    async noteWaiting(
      projectId: ProjectId,
      executionId: ExecutionId,
      waiting: Waiting | null,
    ): Promise<void> {
      const _id = keyOf(projectId, executionId);
      const before = await executions.findOneAndUpdate(
        { _id, status: open },
        { $set: { waiting } },
        { projection: { waiting: 1 } },
      );
      const over = before?.waiting;
      if (over && over.since !== waiting?.since) await keepWait(_id, over);
    },

    /** Shows in an open run which run uses the chip in between, or that none does any more. */
    async notePreempted(
      projectId: ProjectId,
      executionId: ExecutionId,
      preempted: Preempted | null,
    ): Promise<void> {
      const _id = keyOf(projectId, executionId);
      const before = await executions.findOneAndUpdate(
        { _id, status: open },
        { $set: { preempted } },
        { projection: { preempted: 1 } },
      );
      const over = before?.preempted;
      if (over && over.since !== preempted?.since)
        await keepWait(_id, { since: over.since, kind: 'preemption' });
    },

    /** Shows the results of finished stages in an open run. */
    async noteStages(
      projectId: ProjectId,
      executionId: ExecutionId,
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
      executionId: ExecutionId,
      end: {
        status: ExecutionEndStatus;
        message: string;
        crashed: boolean;
        stages: NonNullable<ExecutionNote['stages']>;
        at: Date;
      },
    ): Promise<void> {
      const _id = keyOf(projectId, executionId);
      const execution = await executions.findOne(
        { _id },
        { projection: { start_at: 1, paused: 1, waiting: 1, preempted: 1 } },
      );
      const { matchedCount } = await executions.updateOne(
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
            preempted: null,
            trouble: null,
          },
        },
      );
      if (matchedCount === 0) return;
      const { paused, waiting, preempted } = execution ?? {};
      if (waiting) await keepWait(_id, { ...waiting, until: end.at });
      if (preempted) await keepWait(_id, { since: preempted.since, kind: 'preemption', until: end.at });
      if (paused) await keepWait(_id, { since: paused.at, kind: 'resume', until: end.at });
    },
  };
}
