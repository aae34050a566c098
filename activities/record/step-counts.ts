/** All steps: the numbers of tasks that have ended. */
import type { FlowCommandDocument } from '../../shared/domain/executions/model.ts';
import type { HeldRun } from '../../shared/domain/runs/run-model.ts';
import type { createApplier } from './applying.ts';
import type { EndedRow } from './running-rows.ts';
import type { Step } from './step.ts';

export type StepCounts = ReturnType<typeof createStepCounts>;

/** Counts the tasks that end within a step. */
export function createStepCounts(applier: Pick<ReturnType<typeof createApplier>, 'skipRest'>) {
  /** Skips the tasks that follow failed ones. @returns their number */
  async function skipAll(
    run: HeldRun,
    plan: FlowCommandDocument,
    failed: readonly EndedRow[],
  ): Promise<number> {
    const skipped = await Promise.all(failed.map((row) => applier.skipRest(run, plan, row)));
    return skipped.reduce((sum, count) => sum + count, 0);
  }

  /** Counts ended rows, and skips the tasks after failed ones. */
  async function count({ input: { run }, plan, output }: Step, rows: readonly EndedRow[]): Promise<void> {
    const completed = rows.filter((row) => row.status === 'completed');
    // A row that was cancelled meanwhile belongs to an ended run, so its following tasks are not skipped.
    const failed = rows.filter((row) => row.status === 'failed');
    output.completed += completed.length;
    output.failed += failed.length;
    output.skipped += await skipAll(
      run,
      plan,
      failed.filter((row) => !row.goes_on),
    );
    const gone = new Set(
      rows.filter((row) => row.status !== 'completed' && !row.goes_on).map((row) => row.qid),
    );
    output.passed = output.passed.filter((target) => !gone.has(target));
  }

  return { count };
}
