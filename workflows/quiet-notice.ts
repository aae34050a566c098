import { condition, getExternalWorkflowHandle, workflowInfo } from '@temporalio/workflow';
import type { RunControl, RunPolicy } from '../shared/domain/runs/run-model.ts';
import type { Completions } from './completions.ts';
import { stageQuietSignal } from './signals.ts';

/** Tells the run of a stage when nothing is measured, so that another run can use the chip in between. */
export function createQuietNotice(stage: {
  policy: RunPolicy;
  control(): RunControl;
  /** Waits until what is due may be applied, like any other completion. */
  follow: Completions['follow'];
}) {
  const { policy, control, follow } = stage;
  let underWay = 0;
  return {
    /** Measures targets and records what was measured. */
    async whileMeasuring<T>(measure: () => Promise<T>): Promise<T> {
      underWay += 1;
      try {
        return await measure();
      } finally {
        underWay -= 1;
      }
    },

    /** Runs until its scope is cancelled, in runs that other ones may preempt. */
    async tellRun(): Promise<void> {
      const { parent } = workflowInfo();
      if (!policy.preemption || !parent) return;
      for (let notified: string | undefined; ; ) {
        // The same execution is not reported twice: it uses the chip once.
        await follow(
          condition(() => {
            const { preempted_by } = control();
            return preempted_by !== undefined && preempted_by !== notified && underWay === 0;
          }),
        );
        notified = control().preempted_by;
        if (notified === undefined) continue;
        await getExternalWorkflowHandle(parent.workflowId, parent.runId).signal(stageQuietSignal, notified);
      }
    },
  };
}
