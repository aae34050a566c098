import { ApplicationFailure } from '@temporalio/common';
import { failureTypes } from '../shared/kernel/engine/failure-types.ts';

/** The failure of an activity of a run that may not continue; not retried. */
export function notStartable(message: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(message, failureTypes.notStartable);
}
