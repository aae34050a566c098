import { CancellationScope, getExternalWorkflowHandle, workflowInfo } from '@temporalio/workflow';
import type { CalibrationActivities } from '../activities/contracts/runs.ts';
import { minuteText, type Waiting } from '../shared/domain/executions/status-rules.ts';
import type { HeldRun } from '../shared/domain/runs/run-model.ts';
import type { Completions } from './completions.ts';
import { stageWaitSignal } from './signals.ts';
import type { StageProgress } from './stage-progress.ts';

/** Where the wait of a stage is shown. */
interface Shown {
  run: HeldRun;
  progress: StageProgress;
  /** Waits until a completed activity may be applied. */
  follow: Completions['follow'];
  records: Pick<CalibrationActivities, 'noteWaiting'>;
}

/** Shows what a stage waits for, on its page, on the page of its run and in the execution. Null when it no longer waits. */
export async function showWait(
  waiting: Waiting | null,
  { run, progress, follow, records }: Shown,
): Promise<void> {
  progress.waitFor(waiting);
  reportToRun(waiting && `${waiting.for}, since ${minuteText(waiting.since)}`);
  // Not cancellable: a stage that ends or continues as new must not leave an outdated wait behind.
  await CancellationScope.nonCancellable(() => follow(records.noteWaiting({ run, waiting })));
}

/** Reports to the run what its stage waits for, because users open the page of the run. Nothing depends on it. */
function reportToRun(what: string | null): void {
  const { parent } = workflowInfo();
  if (!parent) return;
  CancellationScope.nonCancellable(() =>
    getExternalWorkflowHandle(parent.workflowId, parent.runId).signal(stageWaitSignal, what),
  ).catch(() => undefined);
}
