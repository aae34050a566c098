/** How runs end. No I/O and no zod: workflows import this file. */
import type { ClosedWorkflowStatus } from '../../kernel/engine/workflow-status.ts';
import type { ExecutionEndStatus } from '../executions/status-rules.ts';
import type { TaskCounts } from '../results/model.ts';

/** How a run ended: input of `finalize`. */
export interface RunEnd {
  status: ExecutionEndStatus;
  message: string;
  /** True when the engine ended the run, not its own workflow code. */
  crashed?: boolean;
}

/**
 * End status and message of a run whose workflow closed without `finalize`. Terminated counts as cancelled, timed out as failed.
 */
export function endOfClosedWorkflow(status: ClosedWorkflowStatus): RunEnd {
  switch (status) {
    case 'CANCELLED':
      return { status: 'cancelled', message: 'The run was cancelled.' };
    case 'TERMINATED':
      return {
        status: 'cancelled',
        message: 'The run was terminated in the workflow engine.',
        crashed: true,
      };
    case 'TIMED_OUT':
      return {
        status: 'failed',
        message: 'The run exceeded its time limit in the workflow engine.',
        crashed: true,
      };
    case 'COMPLETED':
    case 'FAILED':
    case 'CONTINUED_AS_NEW':
      return { status: 'failed', message: 'The run ended in the workflow engine without being closed.' };
  }
}

/** End of a run that a user stopped. What it has measured counts, so it is completed if at least one task is. */
export function endOfStoppedRun(by: string, counts: TaskCounts): RunEnd {
  return counts.completed > 0
    ? { status: 'completed', message: `${by} stopped the run.` }
    : { status: 'cancelled', message: `${by} stopped the run before a task was completed.` };
}
