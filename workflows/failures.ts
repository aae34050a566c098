import {
  ActivityFailure,
  ApplicationFailure,
  ChildWorkflowFailure,
  ContinueAsNew,
  TemporalFailure,
} from '@temporalio/workflow';

/** The failure that an activity or a child reported, without the engine's wrapping. */
export function rootCauseOf(thrown: unknown): unknown {
  let error = thrown;
  while ((error instanceof ActivityFailure || error instanceof ChildWorkflowFailure) && error.cause) {
    error = error.cause;
  }
  return error;
}

/**
 * What a workflow may throw: a plain Error in workflow code would fail its workflow task, which is retried for
 * ever, and hold whatever waits for it.
 */
export function asFailure(thrown: unknown): unknown {
  if (thrown instanceof TemporalFailure || thrown instanceof ContinueAsNew) return thrown;
  return ApplicationFailure.create({
    message: thrown instanceof Error ? thrown.message : String(thrown),
    type: 'InternalError',
    nonRetryable: true,
  });
}
