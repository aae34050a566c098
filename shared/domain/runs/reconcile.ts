import { type WorkflowExecutionDescription, WorkflowNotFoundError } from '@temporalio/client';
import { workflowPollers } from '../../kernel/engine/pollers.ts';
import { type Engine, isEngineUnavailable, withinDeadline } from '../../kernel/engine/temporal.ts';
import { conditionOf } from '../../kernel/engine/workflow-condition.ts';
import { CALIBRATION_QUEUE, runWorkflowId } from '../../kernel/engine/workflow-ids.ts';
import { describeWorkflow, isOpenWorkflow } from '../../kernel/engine/workflow-status.ts';
import { flowRunIdOf } from '../executions/id-rules.ts';
import type { ExecutionStore } from '../executions/index.ts';
import type { ExecutionDocument } from '../executions/model.ts';
import { isEndStatus, type Waiting } from '../executions/status-rules.ts';
import type { TaskResultStore } from '../results/index.ts';
import { type ChipGuard, ENDING_GRACE } from './chip-guard.ts';
import type { RunCloser } from './close.ts';
import { endOfClosedWorkflow } from './end-rules.ts';
import { holderIn, isSameRun } from './holder.ts';
import type { LockStore } from './lock-store.ts';
import { isLate, type NamedCondition, troubleOf } from './trouble-rules.ts';

/** Milliseconds. The engine may not show the workflow of a younger execution yet. */
const SETTLING = 30_000;

/** Maximum number of open executions per round; a project has at most one, and one that preempts it. */
const ROUND_LIMIT = 1000;
/** Maximum number of children that are checked per run: a flow has one stage at a time, and one run that preempts it. */
const STAGES = 3;

export type Reconciler = ReturnType<typeof createReconciler>;

/** Callbacks for the findings of a round. */
export interface RoundReport {
  /** The execution could not be checked. */
  failed(execution: ExecutionDocument, thrown: unknown): void;
  /** The run is open but does not continue. */
  stuck(execution: ExecutionDocument, trouble: Waiting): void;
}

/** Result of checking an open execution. */
interface Look {
  closed: boolean;
  trouble: Waiting | null;
}

/**
 * Compares open executions with the engine. Closes those whose workflow ended without closing them: after a terminate, a timeout,
 * or a loss of the engine. For the others it records what keeps them from continuing, and terminates those that do not honour a
 * cancel before its deadline, regardless of where it was requested.
 */
export function createReconciler(dependencies: {
  engine: Engine;
  executions: ExecutionStore;
  locks: LockStore;
  results: Pick<TaskResultStore, 'latestDeadline'>;
  closer: RunCloser;
  chipGuard: Pick<ChipGuard, 'terminateStages'>;
  /** Why no new measurement may start. */
  shortage(): Promise<string | null>;
}) {
  const { engine, executions, locks, results, closer, chipGuard, shortage } = dependencies;

  async function lookAt(execution: ExecutionDocument): Promise<Look> {
    const flow_run_id = flowRunIdOf(execution);
    const workflow = await describeWorkflow(engine, runWorkflowId(execution));
    if (workflow && isSameRun(holderIn(workflow), { flow_run_id })) {
      return { closed: false, trouble: await lookAfter(execution, workflow) };
    }
    return { closed: await closeEnded(execution), trouble: null };
  }

  /** Records what keeps an open run from continuing, and a cancel that was requested directly at the engine. */
  async function lookAfter(
    execution: ExecutionDocument,
    description: WorkflowExecutionDescription,
  ): Promise<Waiting | null> {
    const run = { name: 'the run', ...(await conditionOf(engine, description)) };
    const stages = await Promise.all(run.children.slice(0, STAGES).map(stageCondition));
    const workflows = [run, ...stages.filter((stage) => stage !== null)];
    const now = new Date();
    const late = workflows.some(({ task }) => task && isLate(task, now));
    const workers = late
      ? await withinDeadline(engine, () => workflowPollers(engine, CALIBRATION_QUEUE))
      : null;
    const trouble = troubleOf(workflows, now, await shortage(), workers);
    await executions.noteTrouble(execution, trouble);
    let asked = execution.cancel_requested_at;
    if (!asked && workflows.some(({ cancelRequested }) => cancelRequested)) {
      asked = new Date();
      await executions.noteCancelRequest(execution, asked);
    }
    if (asked) await endUnhonouredCancel(execution, asked);
    return trouble;
  }

  async function stageCondition(workflowId: string): Promise<NamedCondition | null> {
    const description = await describeWorkflow(engine, workflowId);
    if (!description || !isOpenWorkflow(description.status.name)) return null;
    const [, execution, stage] = workflowId.split('/');
    const name = stage === undefined ? `execution ${execution}` : `stage ${stage}`;
    return { name, ...(await conditionOf(engine, description)) };
  }

  /** Closes an execution when its workflow is closed or gone. @returns whether it was */
  async function closeEnded(execution: ExecutionDocument): Promise<boolean> {
    const flow_run_id = flowRunIdOf(execution);
    const workflow = await describeWorkflow(engine, runWorkflowId(execution), flow_run_id || undefined);
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

  /** Terminates a run that has not honoured a cancel by one minute after the deadline of its measurements. */
  async function endUnhonouredCancel(execution: ExecutionDocument, asked: Date): Promise<void> {
    const { project_id, execution_id } = execution;
    // The run that uses the chip in between is allowed to end first. Its own time is limited.
    if (execution.preempted) return;
    const deadline = await results.latestDeadline(project_id, execution_id, asked);
    const limit = Math.max(asked.getTime(), deadline?.getTime() ?? 0) + ENDING_GRACE;
    if (Date.now() < limit) return;
    const flow_run_id = flowRunIdOf(execution);
    const reason = 'a cancel was not honoured in time';
    // The runs of a project share a workflow id, and the next run may have started meanwhile.
    const run = engine.client.workflow.getHandle(runWorkflowId(execution), undefined, {
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
    /**
     * Compares an open execution with the engine. Changes nothing if the engine does not answer.
     * @returns true when the execution was closed.
     */
    reconcile: async (execution: ExecutionDocument): Promise<boolean> => (await lookAt(execution)).closed,

    /** The current execution: if open, it is compared with the engine, unless the engine is unavailable. */
    async upToDate(execution: ExecutionDocument): Promise<ExecutionDocument> {
      if (isEndStatus(execution.status)) return execution;
      const { project_id, execution_id } = execution;
      // A read must not fail because the engine is unavailable, so fall back to the stored state.
      try {
        await lookAt(execution);
      } catch (thrown) {
        if (!isEngineUnavailable(thrown)) throw thrown;
        return execution;
      }
      return (await executions.get(project_id, execution_id)) ?? execution;
    },

    /** Checks every open execution of all projects. */
    async reconcileAll(report: RoundReport): Promise<void> {
      for (const execution of await executions.open(ROUND_LIMIT)) {
        try {
          const { trouble } = await lookAt(execution);
          if (trouble) report.stuck(execution, trouble);
        } catch (thrown) {
          report.failed(execution, thrown);
        }
      }
    },
  };
}
