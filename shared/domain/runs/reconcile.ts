import { WorkflowNotFoundError } from '@temporalio/client';
import { type Engine, isEngineUnavailable, withinDeadline } from '../../kernel/engine/temporal.ts';
import { lockWorkflowId, stageWorkflowId } from '../../kernel/engine/workflow-ids.ts';
import { describeWorkflow, isOpenWorkflow } from '../../kernel/engine/workflow-status.ts';
import { flowRunIdOf } from '../executions/id-rules.ts';
import type { ExecutionStore } from '../executions/index.ts';
import type { ExecutionDocument } from '../executions/model.ts';
import { isEndStatus } from '../executions/status-rules.ts';
import type { TaskResultStore } from '../results/index.ts';
import type { RunCloser } from './close.ts';
import { endOfClosedWorkflow, type RunEnd } from './end-rules.ts';
import { holderOf, isSameRun } from './holder.ts';
import type { LockStore } from './lock-store.ts';

/** Seconds that a cancelled run may take beyond its running measurement's limit before it is terminated. */
const CANCEL_GRACE = 60;
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
}) {
  const { engine, executions, locks, results, closer } = dependencies;

  async function mend(execution: ExecutionDocument, end: RunEnd): Promise<void> {
    const { project_id, execution_id } = execution;
    // First, so that a record under way opens no further task behind our back.
    await locks.abandon(project_id, { execution_id, flow_run_id: flowRunIdOf(execution) });
    await closer.close(execution, null, end);
  }

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
      await mend(execution, { status: 'failed', message });
      return true;
    }
    const status = workflow.status.name;
    if (isOpenWorkflow(status)) return false;
    await mend(execution, endOfClosedWorkflow(status));
    return true;
  }

  /** A cancel that nobody honours within the measurement's limit and a minute is ended by terminate. */
  async function endUnhonouredCancel(execution: ExecutionDocument): Promise<void> {
    const { project_id, execution_id, cancel_requested_at } = execution;
    if (!cancel_requested_at) return;
    const deadline = await results.latestDeadline(project_id, execution_id, cancel_requested_at);
    const limit = Math.max(cancel_requested_at.getTime(), deadline?.getTime() ?? 0) + CANCEL_GRACE * 1000;
    if (Date.now() < limit) return;
    const flow_run_id = flowRunIdOf(execution);
    const lock = await locks.get(project_id);
    const stages = lock && isSameRun(lock, { flow_run_id }) ? lock.stages : 0;
    const { workflow } = engine.client;
    const stuck = [
      // All runs share this id, and the next one may have begun meanwhile.
      workflow.getHandle(lockWorkflowId(project_id), undefined, { firstExecutionRunId: flow_run_id }),
      ...Array.from({ length: stages }, (_, index) =>
        workflow.getHandle(stageWorkflowId(project_id, execution_id, index)),
      ),
    ];
    for (const handle of stuck) {
      try {
        await withinDeadline(engine, () => handle.terminate('a cancel was not honoured in time'));
      } catch (thrown) {
        if (!(thrown instanceof WorkflowNotFoundError)) throw thrown;
      }
    }
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
