import { messageNames } from '../../kernel/engine/message-names.ts';
import type { Engine } from '../../kernel/engine/temporal.ts';
import { runWorkflowId } from '../../kernel/engine/workflow-ids.ts';
import { CalibronError } from '../../kernel/errors.ts';
import { executionIdSchema, isUuid, type ProjectId } from '../../kernel/ids.ts';
import { newId } from '../../kernel/new-ids.ts';
import { flowRunIdOf, parseExecutionId } from '../executions/id-rules.ts';
import type { ExecutionStore } from '../executions/index.ts';
import type { ExecutionDocument } from '../executions/model.ts';
import { isEndStatus } from '../executions/status-rules.ts';
import { notCancellable, notPaused, notRunning } from './control-errors.ts';
import { createControlMessages } from './control-messages.ts';
import type { CancelResult, RunControlAnswer } from './model.ts';
import type { Reconciler } from './reconcile.ts';

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
  const { engine, executions, current } = dependencies;

  const { ask, signal, update, pauseUnseen } = createControlMessages(dependencies);

  /** @throws not_running */
  async function findOpen(projectId: ProjectId, id: string): Promise<ExecutionDocument> {
    const execution = await current(projectId, id);
    if (isEndStatus(execution.status)) throw notRunning(execution);
    return execution;
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
