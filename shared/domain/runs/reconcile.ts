import { type WorkflowExecutionDescription, WorkflowNotFoundError } from '@temporalio/client';
import { type Engine, isEngineUnavailable, withinDeadline } from '../../kernel/engine/temporal.ts';
import { conditionOf } from '../../kernel/engine/workflow-condition.ts';
import { lockWorkflowId } from '../../kernel/engine/workflow-ids.ts';
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
import { type NamedCondition, troubleOf } from './trouble-rules.ts';

/** Milliseconds: an execution that is younger may belong to a workflow that the engine has not shown yet. */
const SETTLING = 30_000;

/** Open executions that a round looks at; a project has one at most. */
const ROUND_LIMIT = 1000;
/** Open stages of a run that are looked at; a flow has one at a time. */
const STAGES = 3;

export type Reconciler = ReturnType<typeof createReconciler>;

/** What a round tells whoever makes it. */
export interface RoundReport {
  /** This execution could not be looked at. */
  failed(execution: ExecutionDocument, thrown: unknown): void;
  /** This run is open and does not go on. */
  stuck(execution: ExecutionDocument, trouble: Waiting): void;
}

/** What came of looking at an open execution. */
interface Look {
  closed: boolean;
  trouble: Waiting | null;
}

/**
 * Compares open executions with the engine. Ends those whose workflow has ended without closing them: after a
 * terminate, a time-out, a lost engine. Says of the others what keeps them from going on, and ends those whose cancel
 * nobody honours, wherever it was asked for.
 */
export function createReconciler(dependencies: {
  engine: Engine;
  executions: ExecutionStore;
  locks: LockStore;
  results: Pick<TaskResultStore, 'latestDeadline'>;
  closer: RunCloser;
  chipGuard: Pick<ChipGuard, 'terminateStages'>;
}) {
  const { engine, executions, locks, results, closer, chipGuard } = dependencies;

  async function lookAt(execution: ExecutionDocument): Promise<Look> {
    const { project_id } = execution;
    const flow_run_id = flowRunIdOf(execution);
    const holder = await describeWorkflow(engine, lockWorkflowId(project_id));
    if (holder && isSameRun(holderIn(holder), { flow_run_id })) {
      return { closed: false, trouble: await lookAfter(execution, holder) };
    }
    return { closed: await closeEnded(execution), trouble: null };
  }

  /** Notes what keeps an open run from going on, and a cancel that the engine was asked for without us. */
  async function lookAfter(
    execution: ExecutionDocument,
    description: WorkflowExecutionDescription,
  ): Promise<Waiting | null> {
    const run = { name: 'the run', ...(await conditionOf(engine, description)) };
    const stages = await Promise.all(run.children.slice(0, STAGES).map(stageCondition));
    const workflows = [run, ...stages.filter((stage) => stage !== null)];
    const trouble = troubleOf(workflows, new Date());
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
    return { name: `stage ${workflowId.split('/').at(-1)}`, ...(await conditionOf(engine, description)) };
  }

  /** Closes an execution when its workflow is closed or gone. @returns whether it was */
  async function closeEnded(execution: ExecutionDocument): Promise<boolean> {
    const { project_id } = execution;
    const flow_run_id = flowRunIdOf(execution);
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
  async function endUnhonouredCancel(execution: ExecutionDocument, asked: Date): Promise<void> {
    const { project_id, execution_id } = execution;
    const deadline = await results.latestDeadline(project_id, execution_id, asked);
    const limit = Math.max(asked.getTime(), deadline?.getTime() ?? 0) + ENDING_GRACE;
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
    /**
     * Compares an open execution with the engine. An engine that does not answer changes nothing.
     * @returns true when the execution was closed.
     */
    reconcile: async (execution: ExecutionDocument): Promise<boolean> => (await lookAt(execution)).closed,

    /** An execution as it is by now: an open one is compared with the engine, unless the engine is away. */
    async upToDate(execution: ExecutionDocument): Promise<ExecutionDocument> {
      if (isEndStatus(execution.status)) return execution;
      const { project_id, execution_id } = execution;
      // A read must not fail because the engine is away: the stored state is then the best there is.
      try {
        await lookAt(execution);
      } catch (thrown) {
        if (!isEngineUnavailable(thrown)) throw thrown;
        return execution;
      }
      return (await executions.get(project_id, execution_id)) ?? execution;
    },

    /** Looks at every open execution of all projects. */
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
