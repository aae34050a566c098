/** The structure of every run that holds a project: begin, body, finalize. */

import {
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  isCancellation,
  log,
  setCurrentDetails,
  TemporalFailure,
  workflowInfo,
} from '@temporalio/workflow';
import type { RunEnd } from '../shared/domain/runs/end-rules.ts';
import type { HeldRun, RunIdentity, RunPolicy } from '../shared/domain/runs/run-model.ts';
import { failureTypes } from '../shared/kernel/engine/failure-types.ts';
import { runSummary } from '../shared/kernel/engine/summaries.ts';
import type { ExecutionId } from '../shared/kernel/ids.ts';
import { rootCauseOf } from './failures.ts';
import { locallyOrNot, recordKeeping } from './policies.ts';

/**
 * Runs `body` while this workflow holds the project. In every case, open tasks and the execution reach their end state before
 * the workflow closes and releases the project.
 *
 * The scope, not the error, shows whether the run was cancelled: an activity may fail with another error while it is being
 * cancelled. An unknown error becomes a non-retryable failure, because a plain Error in workflow code would retry the workflow
 * task forever and keep the lock.
 */
export async function holdingProject(
  run: RunIdentity,
  policy: RunPolicy,
  body: (run: HeldRun) => Promise<RunEnd>,
): Promise<{ execution_id: ExecutionId; status: RunEnd['status'] }> {
  const scope = CancellationScope.current();
  const flow_run_id = workflowInfo().firstExecutionRunId;
  const show = (message: string) => setCurrentDetails(`${message}\n\n${runSummary(run)}`);
  show('Waiting for the previous run to leave the chip.');
  // Not cancellable: a run that is cancelled before its first task must still leave a record.
  const taking = { run, flow_run_id };
  const { epoch } = await CancellationScope.nonCancellable(() =>
    locallyOrNot(
      (local) => local.beginLocally(taking),
      () => recordKeeping(policy, 'take the project').begin(taking),
    ),
  );
  let end: RunEnd = { status: 'failed', message: 'The run ended unexpectedly.' };
  try {
    // Without this, a cancellation before the body would only take effect at its first activity.
    if (scope.consideredCancelled) throw new CancelledFailure('cancelled before the first task');
    end = await body({ ...run, epoch, flow_run_id });
    return { execution_id: run.execution_id, status: end.status };
  } catch (thrown) {
    if (isCancellation(thrown) || scope.consideredCancelled) {
      end = { status: 'cancelled', message: 'The run was cancelled.' };
      throw new CancelledFailure('execution cancelled');
    }
    const cause = rootCauseOf(thrown);
    end = { status: 'failed', message: failureMessage(cause) };
    throw ApplicationFailure.create({
      message: end.message,
      type: cause instanceof ApplicationFailure && cause.type ? cause.type : 'RunFailed',
      nonRetryable: true,
    });
  } finally {
    log.info('finalize', { status: end.status });
    show(`Ending: ${end.status}. ${end.message}`);
    await CancellationScope.nonCancellable(() =>
      recordKeeping(policy, `close the run: ${end.status}`).finalize({ run, end }),
    );
    show(`${end.status}. ${end.message}`);
  }
}

function failureMessage(error: unknown): string {
  if (error instanceof ApplicationFailure && error.type === failureTypes.fenced) {
    return 'The run was stopped, because a later run holds the project.';
  }
  if (error instanceof TemporalFailure || error instanceof Error) return error.message;
  return 'The run failed for an unknown reason.';
}
