import type { ExecutionStore } from '../shared/domain/executions/index.ts';
import type { AdvanceOptions } from './flow-isolate/isolate.ts';
import type { FlowState } from './flow-state.ts';

/** Minimum processor time of a flow, in milliseconds, that is written to the store. */
const NOTED_MS = 20;

/** How long to wait for a step, and whether it may wait for others. */
export type StepOptions = Pick<AdvanceOptions, 'signal' | 'atOnce'>;

/** Processor time of flows. */
export function createFlowTimes(executions: Pick<ExecutionStore, 'noteFlowTime'>) {
  /** Counts the processor time of a run's flow, which has a limit for the whole run. */
  function timeOf(
    { run, request }: FlowState,
    stepOptions: StepOptions,
  ): { options: AdvanceOptions; note(): Promise<void> } {
    let spentMs = request.flow_ms ?? 0;
    let notedMs = spentMs;
    return {
      options: {
        tenant: run.user_id,
        project: run.project_id,
        get spentMs() {
          return spentMs;
        },
        ...stepOptions,
        onSpent(ms) {
          spentMs += ms;
        },
      },
      async note() {
        if (spentMs - notedMs < NOTED_MS) return;
        await executions.noteFlowTime(run.project_id, run.execution_id, spentMs - notedMs);
        notedMs = spentMs;
      },
    };
  }

  return { timeOf };
}
