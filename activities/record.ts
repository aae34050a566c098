import { messageOf } from '../shared/kernel/errors.ts';
import { NO_TASK } from '../shared/kernel/ids.ts';
import type { CalibrationActivities } from './contracts/runs.ts';
import type { RecordInput } from './contracts/steps.ts';
import { createApplier } from './record/applying.ts';
import { createClosing } from './record/closing.ts';
import { createClosingTogether } from './record/closing-together.ts';
import type { RecordDependencies } from './record/dependencies.ts';
import { createFinishing } from './record/finishing.ts';
import { createFreshRows } from './record/fresh-rows.ts';
import { createMeasurementRequests } from './record/measurement-requests.ts';
import { createMuxSharing } from './record/mux-sharing.ts';
import { createNextTask } from './record/next-task.ts';
import { createRowMaking } from './record/row-making.ts';
import type { Step } from './record/step.ts';
import { createStepCounts } from './record/step-counts.ts';
import { createTakingBack } from './record/taking-back.ts';

/**
 * The record keeper of targets: the activity `record`, with one branch for each kind of {@link RecordInput}.
 *
 * Every step is safe to repeat. The outcome is written to the task's row first (still `running`), then to calibration state,
 * daily history and provenance, each keyed by the task. The end status is written last and never changes. The next
 * measurement of a target waits only for the outcome and the state; its row is created while the state is written.
 */
export function createRecordActivities(
  dependencies: RecordDependencies,
): Pick<CalibrationActivities, 'record' | 'noteTakenBack'> {
  const { plans, trailing, keptResults, log } = dependencies;
  const applier = createApplier(dependencies);
  const freshRows = createFreshRows();
  const closing = createClosing(dependencies, applier, freshRows);
  const rowMaking = createRowMaking(dependencies, applier, freshRows);
  const counts = createStepCounts(applier);
  const requests = createMeasurementRequests(dependencies);
  const { closeMeasured } = createFinishing({
    plans,
    applier,
    counts,
    requests,
    closing: createClosingTogether(dependencies, applier, closing),
    rowMaking,
  });
  const { prepareNext } = createNextTask({
    plans,
    trailing,
    freshRows,
    applier,
    counts,
    requests,
    closing,
    rowMaking,
    shareMux: createMuxSharing(dependencies),
  });

  async function carryOut(step: Step): Promise<void> {
    const { input } = step;
    if (input.step === 'prepare') return prepareNext(step, { isOver: true, upstreamId: NO_TASK });
    const closed = await closeMeasured(step, input.finished);
    if (input.step === 'finish_and_continue' && closed.isOver) await prepareNext(step, closed);
  }

  /** Drops the worker's copy of a recorded result. */
  function dropKept({ run, ...input }: RecordInput): void {
    if (input.step === 'prepare') return;
    void keptResults.drop(run, input.finished).catch((thrown: unknown) => {
      log.warn({ execution_id: run.execution_id, error: messageOf(thrown) }, 'a kept result is left over');
    });
  }

  return {
    ...createTakingBack(dependencies, applier),

    async record(input) {
      const { targets, index } = input;
      const step: Step = {
        input,
        plan: await plans.of(input.run, input.stage),
        output: { completed: 0, failed: 0, skipped: 0, passed: targets, index, next: null },
        pendingWrites: [],
      };
      await carryOut(step);
      await applier.keep(step.pendingWrites);
      dropKept(input);
      return step.output;
    },
  };
}
