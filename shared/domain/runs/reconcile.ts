import { WorkflowNotFoundError } from '@temporalio/client';
import { type Engine, isEngineUnavailable, withinDeadline } from '../../kernel/engine/temporal.ts';
import { lockWorkflowId } from '../../kernel/engine/workflow-ids.ts';
import { describeWorkflow, isOpenWorkflow } from '../../kernel/engine/workflow-status.ts';
import { flowRunIdOf } from '../executions/id-rules.ts';
import type { ExecutionStore } from '../executions/index.ts';
import type { ExecutionDocument } from '../executions/model.ts';
import { isEndStatus } from '../executions/status-rules.ts';
import type { TaskResultStore } from '../results/index.ts';
import { type ChipGuard, ENDING_GRACE } from './chip-guard.ts';
import type { RunCloser } from './close.ts';
import { endOfClosedWorkflow } from './end-rules.ts';
import { holderOf, isSameRun } from './holder.ts';
import type { LockStore } from './lock-store.ts';

/** Milliseconds: an execution that is younger may belong to a workflow that the engine has not shown yet. */
const SETTLING = 30_000;

export type Reconciler = ReturnType<typeof createReconciler>;

/** Ends executions whose workflow has ended without closing them: after a terminate, a time-out, a lost engine. */
export function createReconciler(dependencies: {
  engine: Engine;
  executions: ExecutionStore;
  locks: LockStore;
  results: Pick<TaskResultStore, 'latestDeadline'>;
  closer: RunCloser;
  chipGuard: Pick<ChipGuard, 'terminateStages'>;
}) {
  const { engine, executions, locks, results, closer, chipGuard } = dependencies;

  /**
   * Compares an open execution with the engine and closes it when its workflow is closed or gone.
   * An engine that does not answer changes nothing.
   * @returns true when the execution was closed.
   */
  async function reconcile(execution: ExecutionDocument): Promise<boolean> {
    const { project_id } = execution;
    const flow_run_id = flowRunIdOf(execution);
    if (isSameRun(await holderOf(engine, project_id), { flow_run_id })) {
      await endUnhonouredCancel(execution);
      return false;
    }
    const workflow = await describeWorkflow(engine, lockWorkflowId(project_id), flow_run_id || undefined);
    if (!workflow) {
      if (Date.now() - execution.created_at.getTime() < SETTLING) return false;
      const message = 'The workflow engine does not know this run any more.';
      await closer.close(execution, { status: 'failed', message });
      return true;
    }
    const status = workflow.status.name;
    if (isOpenWorkflow(status)) return false;
    await closer.close(execution, endOfClosedWorkflow(status));
    return true;
  }

  /** A cancel that nobody honours within the measurement's limit and a minute is ended by terminate. */
  async function endUnhonouredCancel(execution: ExecutionDocument): Promise<void> {
    const { project_id, execution_id, cancel_requested_at } = execution;
    if (!cancel_requested_at) return;
    const deadline = await results.latestDeadline(project_id, execution_id, cancel_requested_at);
    const limit = Math.max(cancel_requested_at.getTime(), deadline?.getTime() ?? 0) + ENDING_GRACE;
    if (Date.now() < limit) return;
    const flow_run_id = flowRunIdOf(execution);
    const reason = 'a cancel was not honoured in time';
    // All runs share this id, and the next one may have begun meanwhile.
    const run = engine.client.workflow.getHandle(lockWorkflowId(project_id), undefined, {
      firstExecutionRunId: flow_run_id,
    });
    try {
      await withinDeadline(engine, () => run.terminate(reason));
    } catch (thrown) {
      if (!(thrown instanceof WorkflowNotFoundError)) throw thrown;
    }
    const lock = await locks.get(project_id);
    if (lock && isSameRun(lock, { flow_run_id })) await chipGuard.terminateStages(lock, reason);
  }

  return {
    reconcile,

    /** An execution as it is by now: an open one is compared with the engine, unless the engine is away. */
    async upToDate(execution: ExecutionDocument): Promise<ExecutionDocument> {
      if (isEndStatus(execution.status)) return execution;
      const { project_id, execution_id } = execution;
      // A read must not fail because the engine is away: the stored state is then the best there is.
      const closed = await reconcile(execution).catch((thrown: unknown) => {
        if (isEngineUnavailable(thrown)) return false;
        throw thrown;
      });
      return closed ? ((await executions.get(project_id, execution_id)) ?? execution) : execution;
    },

    /** Reconciles every open execution of all projects. @returns how many were closed. */
    async reconcileAll(onFailure: (execution: ExecutionDocument, thrown: unknown) => void): Promise<number> {
      let closed = 0;
      for (const execution of await executions.open(1000)) {
        try {
          if (await reconcile(execution)) closed += 1;
        } catch (thrown) {
          onFailure(execution, thrown);
        }
      }
      return closed;
    },
  };
}
