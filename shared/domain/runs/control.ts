import { WorkflowNotFoundError } from '@temporalio/client';
import { signalNames } from '../../kernel/engine/signal-names.ts';
import { type Engine, withinDeadline } from '../../kernel/engine/temporal.ts';
import { lockWorkflowId } from '../../kernel/engine/workflow-ids.ts';
import { CalibronError } from '../../kernel/errors.ts';
import { isUuid } from '../../kernel/ids.ts';
import { flowRunIdOf, parseExecutionId } from '../executions/id-rules.ts';
import type { ExecutionStore } from '../executions/index.ts';
import type { ExecutionDocument } from '../executions/model.ts';
import { isEndStatus } from '../executions/status-rules.ts';
import type { CancelResult, RunControlAnswer } from './model.ts';
import type { Reconciler } from './reconcile.ts';

type ControlSignal =
  | typeof signalNames.pause
  | typeof signalNames.resume
  | typeof signalNames.stopAfterCurrent;

/** Pause, resume, stop and cancel of a run. The execution decides who wins; the run's workflow carries it out. */
export function createRunControl(dependencies: {
  engine: Engine;
  executions: ExecutionStore;
  reconciler: Reconciler;
  /** The execution of a run as it is by now. @throws not_found */
  current(projectId: string, id: string): Promise<ExecutionDocument>;
}) {
  const { engine, executions, reconciler, current } = dependencies;

  /** @throws not_running */
  async function findOpen(projectId: string, id: string): Promise<ExecutionDocument> {
    const execution = await current(projectId, id);
    if (isEndStatus(execution.status)) throw notRunning(execution);
    return execution;
  }

  /**
   * Asks the workflow of a run for something.
   * @throws `ended` when it has ended meanwhile; the execution is then closed
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

  /** @throws not_running when the workflow has ended meanwhile */
  function signal(execution: ExecutionDocument, name: ControlSignal, by: string): Promise<void> {
    const { workflow } = engine.client;
    const handle = workflow.getHandle(
      lockWorkflowId(execution.project_id),
      flowRunIdOf(execution) || undefined,
    );
    return ask(execution, () => handle.signal(name, { by }), notRunning);
  }

  /** The execution that a cancel means. @throws CalibronError 400 malformed id, 403 another project's, 404 unknown */
  async function cancellable(projectId: string, id: string): Promise<ExecutionDocument> {
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
    const execution = await executions.get(projectId, id);
    if (!execution) throw new CalibronError('not_found', 'There is no such execution in this project.');
    return execution;
  }

  return {
    /**
     * Lets a run begin no measurement until it is resumed; those in flight end.
     * @throws CalibronError 404 unknown, 409 ended or paused already.
     */
    async pause(projectId: string, id: string, by: string): Promise<RunControlAnswer> {
      const execution = await findOpen(projectId, id);
      const paused = { by, at: new Date().toISOString() };
      if (!(await executions.changePause(execution, paused))) {
        throw new CalibronError(
          'already_paused',
          `Execution ${execution.execution_id} is already paused. Resume it to let it go on.`,
        );
      }
      try {
        await signal(execution, signalNames.pause, by);
      } catch (thrown) {
        // The run never heard of it, so it goes on.
        await executions.changePause(execution, null);
        throw thrown;
      }
      return { execution_id: execution.execution_id, status: 'paused' };
    },

    /** @throws CalibronError 404 unknown, 409 ended or not paused. */
    async resume(projectId: string, id: string, by: string): Promise<RunControlAnswer> {
      const execution = await findOpen(projectId, id);
      if (!execution.paused) {
        throw new CalibronError('not_paused', `Execution ${execution.execution_id} is not paused.`);
      }
      // The signal goes first: a run that is shown as paused can be resumed again, whatever was lost.
      await signal(execution, signalNames.resume, by);
      await executions.changePause(execution, null);
      return { execution_id: execution.execution_id, status: 'running' };
    },

    /**
     * Ends a run once the measurements in flight have ended; also a paused one.
     * @throws CalibronError 404 unknown, 409 ended.
     */
    async stop(projectId: string, id: string, by: string): Promise<RunControlAnswer> {
      const execution = await findOpen(projectId, id);
      await signal(execution, signalNames.stopAfterCurrent, by);
      await executions.noteStop(execution, { by, at: new Date().toISOString() });
      return { execution_id: execution.execution_id, status: 'stopping' };
    },

    /**
     * Asks the engine to cancel a run by its flow run id or its execution id, never a later run of the project.
     * @throws CalibronError 400 malformed id, 403 another project's flow run, 404 unknown, 409 ended already.
     */
    async cancel(projectId: string, id: string): Promise<CancelResult> {
      const execution = await cancellable(projectId, id);
      if (isEndStatus(execution.status)) throw notCancellable(execution);
      const handle = engine.client.workflow.getHandle(lockWorkflowId(projectId), undefined, {
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

function notRunning({ execution_id }: ExecutionDocument): CalibronError {
  return new CalibronError('not_running', `Execution ${execution_id} has ended.`);
}

function notCancellable({ execution_id }: ExecutionDocument): CalibronError {
  return new CalibronError('not_cancellable', `Execution ${execution_id} has ended and cannot be cancelled.`);
}
