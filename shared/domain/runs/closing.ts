import { WorkflowNotFoundError } from '@temporalio/client';
import type { Settings } from '../../kernel/config.ts';
import { type Engine, withinDeadline } from '../../kernel/engine/temporal.ts';
import { lockWorkflowId, stageWorkflowId } from '../../kernel/engine/workflow-ids.ts';
import { calendarDay } from '../../kernel/time.ts';
import type { ApprovalStore } from '../approvals/store.ts';
import type { CalibrationStateStore } from '../chips/calibration-state.ts';
import type { ExecutionDocument } from '../executions/model.ts';
import { addCounts, countsSentence, endOfClosedWorkflow, noCounts } from '../executions/rules.ts';
import type { StepStore } from '../executions/step-store.ts';
import type { ExecutionStore } from '../executions/store.ts';
import { recordedTaskOf } from '../provenance/recorded-task.ts';
import type { ProvenanceStore } from '../provenance/store.ts';
import type { TaskResultStore } from '../results/store.ts';
import type { LockStore } from './lock-store.ts';
import type { RunEnd, TaskCounts } from './run.ts';
import { isOpenWorkflow } from './starting.ts';

/** Seconds that a cancelled run may take beyond its running measurement's limit before it is terminated. */
const CANCEL_GRACE = 60;
/** A row younger than this may belong to a workflow that the engine has not shown yet. */
const SETTLING = 30_000;

export interface ClosingDependencies {
  engine: Engine;
  settings: Pick<Settings, 'TIMEZONE'>;
  executions: ExecutionStore;
  locks: LockStore;
  results: TaskResultStore;
  steps: StepStore;
  state: CalibrationStateStore;
  provenance: ProvenanceStore;
  approvals: ApprovalStore;
}

export type ExecutionCloser = ReturnType<typeof createExecutionCloser>;

/** Brings executions to their end: `finalize` of the workflow's frame, and the reconciler after it. */
export function createExecutionCloser(dependencies: ClosingDependencies) {
  const { engine, settings, executions, locks, results, steps, state, provenance, approvals } = dependencies;

  /** Counts of every stage of an execution, from its task rows. */
  async function stageCounts(projectId: string, executionId: string): Promise<Record<string, TaskCounts>> {
    const stages = (await steps.ofExecution(projectId, executionId)).filter((step) => step.kind === 'stage');
    const counted = await Promise.all(
      stages.map(async (stage) => {
        const byStatus = await results.countByStatus(projectId, executionId, stage.index);
        const counts = {
          completed: byStatus.get('completed') ?? 0,
          failed: byStatus.get('failed') ?? 0,
          skipped: byStatus.get('skipped') ?? 0,
          cancelled: byStatus.get('cancelled') ?? 0,
          total: stage.tasks.length * stage.targets.length,
        };
        return [stageKey(stage.index, stage.name), counts] as const;
      }),
    );
    return Object.fromEntries(counted);
  }

  /**
   * Ends the tasks whose values are calibration state already, because their writer stopped between the two:
   * cancelled they would deny what the qubit holds.
   */
  async function endApplied(projectId: string, executionId: string): Promise<void> {
    for (const row of await results.withOutcome(projectId, executionId)) {
      const { outcome, task_type } = row;
      if (!outcome || (task_type !== 'qubit' && task_type !== 'coupling')) continue;
      const target = await state.read(projectId, row.chip_id, task_type, row.qid);
      const applied = Object.keys(outcome.outputs).some(
        (name) => target?.data[name]?.task_id === row.task_id,
      );
      if (!applied) continue;
      await provenance.record(recordedTaskOf(row, outcome));
      await results.end(row, outcome);
    }
  }

  /**
   * Closes what an execution left open, in an order that a repeat completes: tasks, the chip's snapshot,
   * the execution, and last the lock, which only the holder with this epoch frees.
   */
  async function close(
    run: Pick<ExecutionDocument, 'project_id' | 'execution_id' | 'chip_id'>,
    epoch: number | null,
    end: RunEnd,
  ): Promise<void> {
    const { project_id, execution_id } = run;
    const at = new Date();
    await endApplied(project_id, execution_id);
    await results.closeOpen(project_id, execution_id, end.status, at);
    await state.snapshotChip(project_id, run.chip_id, calendarDay(at, settings.TIMEZONE));
    const stages = await stageCounts(project_id, execution_id);
    const sum = Object.values(stages).reduce(addCounts, noCounts);
    const message = sum.total > 0 ? `${end.message} ${countsSentence(sum)}`.trim() : end.message;
    await approvals.withdraw(project_id, execution_id, at);
    await executions.end(project_id, execution_id, {
      status: end.status,
      message,
      crashed: end.crashed ?? false,
      stages,
      at,
    });
    if (epoch !== null) await locks.free(project_id, epoch);
  }

  async function mend(execution: ExecutionDocument, end: RunEnd): Promise<void> {
    const { execution_id } = execution;
    // First, so that a record under way opens no further task behind our back.
    await locks.abandon(execution.project_id, {
      execution_id,
      flow_run_id: execution.note['flow_run_id'] ?? '',
    });
    await close(execution, null, end);
  }

  /**
   * Compares an open execution with the engine and closes it when its workflow is closed or gone.
   * An engine that does not answer changes nothing.
   * @returns true when the execution was closed.
   */
  async function reconcile(execution: ExecutionDocument): Promise<boolean> {
    const runId = execution.note['flow_run_id'];
    const id = lockWorkflowId(execution.project_id);
    try {
      // A run that was reset goes on under another run id of the same chain.
      const holder = await withinDeadline(engine, () => engine.client.workflow.getHandle(id).describe());
      if (isOpenWorkflow(holder.status.name) && holder.raw.workflowExecutionInfo?.firstRunId === runId) {
        await endUnhonouredCancel(execution);
        return false;
      }
      const { status } = await withinDeadline(engine, () =>
        engine.client.workflow.getHandle(id, runId).describe(),
      );
      if (isOpenWorkflow(status.name)) return false;
      await mend(execution, endOfClosedWorkflow(status.name));
      return true;
    } catch (thrown) {
      if (!(thrown instanceof WorkflowNotFoundError)) throw thrown;
      if (Date.now() - execution.created_at.getTime() < SETTLING) return false;
      await mend(execution, {
        status: 'failed',
        message: 'The workflow engine does not know this run any more.',
      });
      return true;
    }
  }

  /** A cancel that nobody honours within the measurement's limit and a minute is ended by terminate. */
  async function endUnhonouredCancel(execution: ExecutionDocument): Promise<void> {
    const { project_id, execution_id, cancel_requested_at } = execution;
    if (!cancel_requested_at) return;
    const deadline = await results.latestDeadline(project_id, execution_id, cancel_requested_at);
    const limit = Math.max(cancel_requested_at.getTime(), deadline?.getTime() ?? 0) + CANCEL_GRACE * 1000;
    if (Date.now() < limit) return;
    const lock = await locks.get(project_id);
    const stages = lock?.execution_id === execution_id ? lock.stages : 0;
    const { workflow } = engine.client;
    const stuck = [
      // All runs share this id, and the next one may have begun meanwhile.
      workflow.getHandle(lockWorkflowId(project_id), undefined, {
        firstExecutionRunId: execution.note['flow_run_id'] ?? '',
      }),
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
    close,
    reconcile,

    /** Shows in an open execution the counts of the stages that have ended: in its note, and summed in its message. */
    async noteStages(projectId: string, executionId: string): Promise<void> {
      const ended = (await steps.ofExecution(projectId, executionId)).flatMap(({ index, name, summary }) =>
        summary ? [[stageKey(index, name), summary.counts] as const] : [],
      );
      const sum = ended.reduce((counts, [, stage]) => addCounts(counts, stage), noCounts);
      await executions.noteStages(projectId, executionId, Object.fromEntries(ended), countsSentence(sum));
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

/** Key of a stage in the note of its execution. */
function stageKey(index: number, name: string): string {
  return `${index} ${name}`;
}
