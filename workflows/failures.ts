import {
  ActivityFailure,
  ApplicationFailure,
  ChildWorkflowFailure,
  ContinueAsNew,
  TemporalFailure,
} from '@temporalio/workflow';

/** The failure that an activity or child workflow reported, without the wrapper of the engine. */
export function rootCauseOf(thrown: unknown): unknown {
  let error = thrown;
  while ((error instanceof ActivityFailure || error instanceof ChildWorkflowFailure) && error.cause) {
    error = error.cause;
  }
  return error;
}

/**
 * Turns an error into one that a workflow may throw. A plain Error fails the workflow task, which is retried forever while
 * everything that depends on the workflow waits.
 */
export function asFailure(thrown: unknown): unknown {
  if (thrown instanceof TemporalFailure || thrown instanceof ContinueAsNew) return thrown;
  return ApplicationFailure.create({
    message: thrown instanceof Error ? thrown.message : String(thrown),
    type: 'InternalError',
    nonRetryable: true,
  });
}
