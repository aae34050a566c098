import type { ExecutionId, ProjectId } from '../../kernel/ids.ts';
import type { KernelSettings } from '../../kernel/settings.ts';
import { calendarDay } from '../../kernel/time.ts';
import type { Approvals } from '../approvals/index.ts';
import { type CalibrationStateStore, OutdatedWrite } from '../chips/index.ts';
import type { TargetKind } from '../chips/model.ts';
import { isBefore, writeOrderOf } from '../chips/write-order-rules.ts';
import type { CommandStore, ExecutionStore } from '../executions/index.ts';
import type { ExecutionDocument } from '../executions/model.ts';
import type { ProvenanceStore } from '../provenance/index.ts';
import { endedTaskOf } from '../provenance/index.ts';
import { addCounts, countsMessage, noCounts } from '../results/count-rules.ts';
import type { TaskResultStore } from '../results/index.ts';
import type { TaskCounts, TaskOutcome, TaskResultDocument } from '../results/model.ts';
import type { ChipGuard } from './chip-guard.ts';
import type { RunEnd } from './end-rules.ts';
import type { KeptResults } from './kept-results.ts';
import type { LockStore } from './lock-store.ts';

export type RunCloser = ReturnType<typeof createRunCloser>;

/** Closes runs: called by `finalize` of the run's workflow, and by the reconciler. */
export function createRunCloser(dependencies: {
  settings: Pick<KernelSettings, 'TIMEZONE'>;
  executions: ExecutionStore;
  locks: LockStore;
  results: TaskResultStore;
  commands: CommandStore;
  state: CalibrationStateStore;
  provenance: ProvenanceStore;
  approvals: Pick<Approvals, 'withdraw'>;
  chipGuard: Pick<ChipGuard, 'leave'>;
  keptResults: Pick<KeptResults, 'dropAll'>;
}) {
  const { settings, executions, locks, chipGuard, results, commands, state, provenance, approvals } =
    dependencies;

  /** Task counts of every stage of an execution, from its task rows. */
  async function countsByStage(
    projectId: ProjectId,
    executionId: ExecutionId,
  ): Promise<Record<string, TaskCounts>> {
    const stages = (await commands.ofExecution(projectId, executionId)).filter(
      ({ kind }) => kind === 'stage',
    );
    const counted = await Promise.all(
      stages.map(async (stage, position) => {
        const byStatus = await results.countByStatus(projectId, executionId, stage.index);
        const counts = {
          completed: byStatus.get('completed') ?? 0,
          failed: byStatus.get('failed') ?? 0,
          skipped: byStatus.get('skipped') ?? 0,
          cancelled: byStatus.get('cancelled') ?? 0,
          total: stage.tasks.length * stage.targets.length,
        };
        return [stageKey(position, stage.name), counts] as const;
      }),
    );
    return Object.fromEntries(counted);
  }

  /** Writes the values of a task to the calibration state, unless a later write is already there. */
  async function applyLate(
    { project_id, chip_id, qid, epoch, stage, index, cooldown_id }: TaskResultDocument,
    kind: TargetKind,
    { status, outputs, end_at }: TaskOutcome,
  ): Promise<void> {
    const kept = Object.entries(outputs).filter(([, { database_updated }]) => database_updated);
    if (kept.length === 0) return;
    try {
      const { snapshot } = await state.write(
        { project_id, chip_id, kind, qid },
        writeOrderOf(epoch, { stage, index }),
        { status: status === 'completed' ? 'completed' : 'failed', data: Object.fromEntries(kept) },
        { recorded_date: calendarDay(end_at, settings.TIMEZONE), cooldown_id },
      );
      await snapshot();
    } catch (thrown) {
      if (!(thrown instanceof OutdatedWrite)) throw thrown;
    }
  }

  /**
   * Ends tasks whose values are already in the calibration state, or are about to be, because their writer stopped in between. If
   * they were cancelled, the record would contradict the qubit's state. A target's next task is created while the values of the
   * previous one are written, so a task with a successor counts as well.
   */
  async function endApplied(projectId: ProjectId, executionId: ExecutionId): Promise<void> {
    for (const row of await results.withOutcome(projectId, executionId)) {
      const { outcome, task_type } = row;
      if (!outcome || (task_type !== 'qubit' && task_type !== 'coupling')) continue;
      const [target, last] = await Promise.all([
        state.read(projectId, row.chip_id, task_type, row.qid),
        results.lastOf(projectId, executionId, row.qid),
      ]);
      const isApplied = Object.keys(outcome.outputs).some(
        (name) => target?.data[name]?.task_id === row.task_id,
      );
      if (!isApplied && last === row.task_id) continue;
      const isYetToCome = target !== null && isBefore(target, writeOrderOf(row.epoch, row));
      if (isYetToCome) await applyLate(row, task_type, outcome);
      await provenance.add(endedTaskOf(row, outcome));
      await results.end(row, outcome);
    }
  }

  return {
    /**
     * Closes everything that a run left open: tasks, the chip's snapshot, the execution, and last the lock if the run still holds
     * it. The order makes it safe to repeat after an interruption.
     */
    async close(
      run: Pick<ExecutionDocument, 'project_id' | 'execution_id' | 'chip_id'>,
      end: RunEnd,
    ): Promise<void> {
      const { project_id, execution_id } = run;
      const lock = await locks.get(project_id);
      const held = lock?.execution_id === execution_id && lock.state !== 'free' ? lock : null;
      // First, so that record keeping in progress opens no further task.
      const quiet = held === null || (await chipGuard.leave(held));
      const at = new Date();
      await endApplied(project_id, execution_id);
      await results.closeOpen(project_id, execution_id, end.status, at);
      await dependencies.keptResults.dropAll(run);
      await state.snapshotChip(project_id, run.chip_id, calendarDay(at, settings.TIMEZONE));
      const stages = await countsByStage(project_id, execution_id);
      const sum = Object.values(stages).reduce(addCounts, noCounts);
      const message = sum.total > 0 ? `${end.message} ${countsMessage(sum)}`.trim() : end.message;
      await approvals.withdraw(project_id, execution_id, at);
      await executions.end(project_id, execution_id, {
        status: end.status,
        message,
        crashed: end.crashed ?? false,
        stages,
        at,
      });
      if (held && quiet) await locks.free(project_id, held.epoch);
    },

    /** Shows the counts of finished stages in an open execution: per stage in its note, summed in its message. */
    async showEndedStages(projectId: ProjectId, executionId: ExecutionId): Promise<void> {
      const stages = (await commands.ofExecution(projectId, executionId)).filter(
        ({ kind }) => kind === 'stage',
      );
      const ended = stages.flatMap(({ name, summary }, position) =>
        summary ? [[stageKey(position, name), summary.counts] as const] : [],
      );
      const sum = ended.reduce((counts, [, stage]) => addCounts(counts, stage), noCounts);
      await executions.noteStages(projectId, executionId, Object.fromEntries(ended), countsMessage(sum));
    },
  };
}

/** Key of a stage in the note of its execution. Stages are numbered from 1; other commands of the flow do not count. */
function stageKey(position: number, name: string): string {
  return `${position + 1} ${name}`;
}
