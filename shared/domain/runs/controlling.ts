import { WorkflowNotFoundError } from '@temporalio/client';
import { signalNames } from '../../kernel/engine/signal-names.ts';
import { type Engine, withinDeadline } from '../../kernel/engine/temporal.ts';
import { lockWorkflowId } from '../../kernel/engine/workflow-ids.ts';
import { CalibronError } from '../../kernel/errors.ts';
import type { ExecutionDocument, RunControlAnswer } from '../executions/model.ts';
import { isEndStatus } from '../executions/rules.ts';
import type { ExecutionStore } from '../executions/store.ts';
import type { ExecutionCloser } from './closing.ts';

type ControlSignal =
  | typeof signalNames.pause
  | typeof signalNames.resume
  | typeof signalNames.stopAfterCurrent;

/** Pause, resume and stop of a run under way. The execution decides who wins; the run's workflow carries it out. */
export function createRunControls(dependencies: {
  engine: Engine;
  executions: ExecutionStore;
  closer: ExecutionCloser;
  find(projectId: string, id: string): Promise<ExecutionDocument>;
}) {
  const { engine, executions, closer, find } = dependencies;

  /** @throws not_running */
  async function findOpen(projectId: string, id: string): Promise<ExecutionDocument> {
    const execution = await find(projectId, id);
    if (isEndStatus(execution.status)) throw notRunning(execution);
    return execution;
  }

  /** @throws not_running when the workflow has ended meanwhile */
  async function signal(execution: ExecutionDocument, name: ControlSignal, by: string): Promise<void> {
    const { project_id, note } = execution;
    const handle = engine.client.workflow.getHandle(lockWorkflowId(project_id), note['flow_run_id']);
    try {
      await withinDeadline(engine, () => handle.signal(name, { by }));
    } catch (thrown) {
      if (!(thrown instanceof WorkflowNotFoundError)) throw thrown;
      await closer.reconcile(execution);
      throw notRunning(execution);
    }
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
          `Execution ${execution.execution_id} is paused already. Resume it to let it go on.`,
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
  };
}

function notRunning({ execution_id }: ExecutionDocument): CalibronError {
  return new CalibronError('not_running', `Execution ${execution_id} has ended.`);
}
