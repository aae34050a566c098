import { WorkflowNotFoundError } from '@temporalio/client';
import { failureTypes } from '../../kernel/engine/failure-types.ts';
import { messageNames } from '../../kernel/engine/message-names.ts';
import { type Engine, withinDeadline } from '../../kernel/engine/temporal.ts';
import { UpdateRefused, updateWorkflow } from '../../kernel/engine/updates.ts';
import { runWorkflowId } from '../../kernel/engine/workflow-ids.ts';
import type { CalibronError } from '../../kernel/errors.ts';
import { flowRunIdOf } from '../executions/id-rules.ts';
import type { ExecutionStore } from '../executions/index.ts';
import type { ExecutionDocument } from '../executions/model.ts';
import { type ControlRequest, isEndStatus } from '../executions/status-rules.ts';
import { alreadyPaused, notPaused, notRunning } from './control-errors.ts';
import type { Reconciler } from './reconcile.ts';

type ControlMessage =
  | typeof messageNames.pause
  | typeof messageNames.resume
  | typeof messageNames.stopAfterCurrent;

/** Sends requests of users to the workflow of a run. */
export function createControlMessages({
  engine,
  executions,
  reconciler,
}: {
  engine: Engine;
  executions: Pick<ExecutionStore, 'changePause' | 'get'>;
  reconciler: Reconciler;
}) {
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

  return { ask, signal, update, pauseUnseen };
}
