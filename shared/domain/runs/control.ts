import { WorkflowNotFoundError } from '@temporalio/client';
import { failureTypes } from '../../kernel/engine/failure-types.ts';
import { messageNames } from '../../kernel/engine/message-names.ts';
import { type Engine, withinDeadline } from '../../kernel/engine/temporal.ts';
import { UpdateRefused, updateWorkflow } from '../../kernel/engine/updates.ts';
import { runWorkflowId } from '../../kernel/engine/workflow-ids.ts';
import { CalibronError } from '../../kernel/errors.ts';
import { executionIdSchema, isUuid, type ProjectId } from '../../kernel/ids.ts';
import { newId } from '../../kernel/new-ids.ts';
import { flowRunIdOf, parseExecutionId } from '../executions/id-rules.ts';
import type { ExecutionStore } from '../executions/index.ts';
import type { ExecutionDocument } from '../executions/model.ts';
import { type ControlRequest, isEndStatus } from '../executions/status-rules.ts';
import { RunError } from './errors.ts';
import type { CancelResult, RunControlAnswer } from './model.ts';
import type { Reconciler } from './reconcile.ts';

type ControlMessage =
  | typeof messageNames.pause
  | typeof messageNames.resume
  | typeof messageNames.stopAfterCurrent;

/**
 * Pause, resume, stop and cancel of a run. Its workflow decides and answers. If no worker takes the request, the stored execution
 * decides and a signal is queued for the workflow.
 */
export function createRunControl(dependencies: {
  engine: Engine;
  executions: ExecutionStore;
  reconciler: Reconciler;
  /** The current execution of a run, compared with the engine. @throws not_found */
  current(projectId: ProjectId, id: string): Promise<ExecutionDocument>;
}) {
  const { engine, executions, reconciler, current } = dependencies;

  /** @throws not_running */
  async function findOpen(projectId: ProjectId, id: string): Promise<ExecutionDocument> {
    const execution = await current(projectId, id);
    if (isEndStatus(execution.status)) throw notRunning(execution);
    return execution;
  }

  /**
   * Sends a request to the workflow of a run.
   * @throws `ended` when the workflow has ended meanwhile; the execution is then closed
   */
  async function ask(
    execution: ExecutionDocument,
    request: () => Promise<unknown>,
    ended: (execution: ExecutionDocument) => CalibronError,
  ): Promise<void> {
    try {
      await withinDeadline(engine, request);
    } catch (thrown) {
      if (!(thrown instanceof WorkflowNotFoundError)) throw thrown;
      await reconciler.reconcile(execution);
      throw ended(execution);
    }
  }

  const workflowOf = (execution: ExecutionDocument) =>
    engine.client.workflow.getHandle(runWorkflowId(execution), flowRunIdOf(execution) || undefined);

  /** @throws not_running when the workflow has ended meanwhile */
  function signal(execution: ExecutionDocument, name: ControlMessage, by: string): Promise<void> {
    return ask(execution, () => workflowOf(execution).signal(name, { by }), notRunning);
  }

  /**
   * Lets the workflow decide. It answers once the execution shows the requested state.
   * @returns false when no worker takes the request
   * @throws already_paused, not_paused, not_running
   */
  async function update(
    execution: ExecutionDocument,
    name: ControlMessage,
    asked: Pick<ControlRequest, 'by' | 'request'>,
  ): Promise<boolean> {
    // No worker has taken the run yet, so the update would not be answered.
    if (execution.status === 'scheduled') return false;
    try {
      return (await updateWorkflow(engine, workflowOf(execution), name, asked)) !== null;
    } catch (thrown) {
      if (thrown instanceof WorkflowNotFoundError) await reconciler.reconcile(execution);
      else if (!(thrown instanceof UpdateRefused)) throw thrown;
      else if (thrown.reason === failureTypes.alreadyPaused) throw alreadyPaused(execution);
      else if (thrown.reason === failureTypes.notPaused) throw notPaused(execution);
      throw notRunning(execution);
    }
  }

  /** Pauses a run without an answer from its workflow, which receives a signal instead. */
  async function pauseUnseen(
    execution: ExecutionDocument,
    asked: Pick<ControlRequest, 'by' | 'request'>,
  ): Promise<void> {
    if (!(await executions.changePause(execution, { ...asked, at: new Date().toISOString() }))) {
      const now = await executions.get(execution.project_id, execution.execution_id);
      if (!now || isEndStatus(now.status)) throw notRunning(execution);
      // The workflow may have applied the request after the deadline of its answer.
      if (now.paused?.request === asked.request) return;
      throw alreadyPaused(execution);
    }
    try {
      await signal(execution, messageNames.pause, asked.by);
    } catch (thrown) {
      // The workflow did not receive the signal, so the run continues.
      await executions.changePause(execution, null);
      throw thrown;
    }
  }

  /** The execution that a cancel request refers to. @throws CalibronError 400 malformed id, 403 another project's, 404 unknown */
  async function cancellable(projectId: ProjectId, id: string): Promise<ExecutionDocument> {
    if (isUuid(id)) {
      const execution = await executions.byFlowRun(projectId, id);
      if (execution) return execution;
      throw (await executions.flowRunExists(id))
        ? new CalibronError('forbidden', 'This flow run belongs to another project.')
        : new CalibronError('not_found', 'There is no such flow run.');
    }
    if (!parseExecutionId(id)) {
      throw new CalibronError('bad_request', 'Name the run by its flow_run_id (a UUID) or its execution_id.');
    }
    const execution = await executions.get(projectId, executionIdSchema.parse(id));
    if (!execution) throw new CalibronError('not_found', 'There is no such execution in this project.');
    return execution;
  }

  return {
    /**
     * Pauses a run: no measurement starts until it is resumed; those in flight finish.
     * @throws CalibronError 404 unknown, 409 ended or already paused.
     */
    async pause(projectId: ProjectId, id: string, by: string): Promise<RunControlAnswer> {
      const execution = await findOpen(projectId, id);
      const asked = { by, request: newId() };
      if (!(await update(execution, messageNames.pause, asked))) await pauseUnseen(execution, asked);
      return { execution_id: execution.execution_id, status: 'paused' };
    },

    /** @throws CalibronError 404 unknown, 409 ended or not paused. */
    async resume(projectId: ProjectId, id: string, by: string): Promise<RunControlAnswer> {
      const execution = await findOpen(projectId, id);
      if (!(await update(execution, messageNames.resume, { by }))) {
        if (!execution.paused) throw notPaused(execution);
        // The signal goes first: if the write fails, the run still shows as paused and can be resumed again.
        await signal(execution, messageNames.resume, by);
        await executions.changePause(execution, null);
      }
      return { execution_id: execution.execution_id, status: 'running' };
    },

    /**
     * Ends a run, also a paused one, once the measurements in flight have finished.
     * @throws CalibronError 404 unknown, 409 ended.
     */
    async stop(projectId: ProjectId, id: string, by: string): Promise<RunControlAnswer> {
      const execution = await findOpen(projectId, id);
      if (!(await update(execution, messageNames.stopAfterCurrent, { by }))) {
        await signal(execution, messageNames.stopAfterCurrent, by);
        await executions.noteStop(execution, { by, at: new Date().toISOString() });
      }
      return { execution_id: execution.execution_id, status: 'stopping' };
    },

    /**
     * Asks the engine to cancel a run, given its flow run id or execution id. A later run of the project is never affected.
     * @throws CalibronError 400 malformed id, 403 another project's flow run, 404 unknown, 409 ended already.
     */
    async cancel(projectId: ProjectId, id: string): Promise<CancelResult> {
      const execution = await cancellable(projectId, id);
      if (isEndStatus(execution.status)) throw notCancellable(execution);
      const handle = engine.client.workflow.getHandle(runWorkflowId(execution), undefined, {
        firstExecutionRunId: flowRunIdOf(execution),
      });
      await ask(execution, () => handle.cancel(), notCancellable);
      await executions.noteCancelRequest(execution, new Date());
      return {
        execution_id: id,
        status: 'cancelling',
        message: `Execution ${execution.execution_id} is being cancelled.`,
      };
    },
  };
}

function alreadyPaused({ execution_id }: ExecutionDocument): CalibronError {
  return new RunError(
    'already_paused',
    `Execution ${execution_id} is already paused. Resume it to continue.`,
  );
}

function notPaused({ execution_id }: ExecutionDocument): CalibronError {
  return new RunError('not_paused', `Execution ${execution_id} is not paused.`);
}

function notRunning({ execution_id }: ExecutionDocument): CalibronError {
  return new RunError('not_running', `Execution ${execution_id} has ended.`);
}

function notCancellable({ execution_id }: ExecutionDocument): CalibronError {
  return new CalibronError('not_cancellable', `Execution ${execution_id} has ended and cannot be cancelled.`);
}
