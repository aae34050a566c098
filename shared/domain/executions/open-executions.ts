import type { Collection } from 'mongodb';
import { type ExecutionId, keyOf, type ProjectId } from '../../kernel/ids.ts';
import { isoTime, secondsBetween } from '../../kernel/time.ts';
import type { ExecutionDocument, ExecutionNote } from './model.ts';
import { keepWaits } from './past-waits.ts';
import { createRequestNotes } from './request-notes.ts';
import { type ExecutionEndStatus, openExecutionStatuses, type Waiting } from './status-rules.ts';
import { createWaitNotes } from './wait-notes.ts';

const open = { $in: [...openExecutionStatuses] };

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

/** Reads and changes of executions that have not ended. */
export function createOpenExecutions(executions: Collection<ExecutionDocument>) {
  return {
    ...createRequestNotes(executions),
    ...createWaitNotes(executions),

    /** Open executions of all projects, for the reconciler. */
    open(limit: number): Promise<ExecutionDocument[]> {
      return executions.find({ status: open }).sort({ status: 1, created_at: 1 }).limit(limit).toArray();
    },

    /** What metrics show of the open runs of all projects. */
    async openRuns(limit: number): Promise<OpenExecution[]> {
      return executions
        .find({ status: open })
        .project<OpenExecution>({
          _id: 0,
          project_id: 1,
          execution_id: 1,
          preempts: 1,
          backend: 1,
          status: 1,
          created_at: 1,
          trouble: 1,
          cancel_requested_at: 1,
          paused: 1,
          preempted: 1,
          waiting: 1,
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

    /** Records what keeps an open run from continuing; null if nothing does. */
    async noteTrouble(
      { _id, trouble: known = null }: Pick<ExecutionDocument, '_id' | 'trouble'>,
      trouble: Waiting | null,
    ): Promise<void> {
      if (known?.for === trouble?.for && known?.since === trouble?.since) return;
      await executions.updateOne({ _id, status: open }, { $set: { trouble } });
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
      await keepWaits(executions, { ...execution, _id }, end.at);
    },
  };
}
