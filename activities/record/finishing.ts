/** Steps finish, finish_or_repeat and finish_and_continue: what follows from a finished measurement. */
import { ApplicationFailure } from '@temporalio/common';
import { failureTypes } from '../../shared/kernel/engine/failure-types.ts';
import { NO_TASK } from '../../shared/kernel/ids.ts';
import type { FinishedMeasurement } from '../contracts/steps.ts';
import type { createApplier } from './applying.ts';
import type { createClosingTogether } from './closing-together.ts';
import type { createMeasurementRequests } from './measurement-requests.ts';
import type { Plans } from './plans.ts';
import type { createRowMaking } from './row-making.ts';
import type { AfterClosing, Step } from './step.ts';
import type { StepCounts } from './step-counts.ts';
import { passIdAt } from './task-ids.ts';

/** Closes the rows of a finished measurement, and requests another pass if their task asks for one. */
export function createFinishing({
  plans,
  applier,
  counts,
  requests,
  closing,
  rowMaking,
}: {
  plans: Plans;
  applier: Pick<ReturnType<typeof createApplier>, 'keep'>;
  counts: StepCounts;
  requests: ReturnType<typeof createMeasurementRequests>;
  closing: ReturnType<typeof createClosingTogether>;
  rowMaking: Pick<ReturnType<typeof createRowMaking>, 'prefetchRow'>;
}) {
  /** Closes the measured task. If this step also prepares the next task, it starts creating that row. */
  async function closeMeasured(step: Step, finished: FinishedMeasurement): Promise<AfterClosing> {
    const { input, plan, output } = step;
    const { run, stage, targets, index } = input;
    const task = plans.task(plan, index);
    if (!task) throw ApplicationFailure.nonRetryable('The plan has no such task.', failureTypes.notStartable);
    const { ended, nextPass, rest, nextRow } = await closing.closeAll(run, task, {
      targets,
      finished,
      // An abandoned measurement requests no further pass, regardless of the pass of its targets.
      passId: input.step === 'finish' || finished.given_up ? null : passIdAt(input, finished.pass + 1),
      prefetch:
        input.step === 'finish_and_continue'
          ? () => rowMaking.prefetchRow({ run, stage, plan, task, targets, index })
          : undefined,
    });
    if (nextRow) step.pendingWrites = rest;
    else await applier.keep(rest);
    await counts.count(step, ended);
    if (nextPass.length > 0) {
      output.next = await requests.requestFor(step, task, { taskId: finished.task_id, rows: nextPass });
      return { isOver: false };
    }
    output.index += 1;
    return { isOver: true, upstreamId: ended[0]?.task_id ?? NO_TASK, nextRow };
  }

  return { closeMeasured };
}
