import { ApplicationFailure } from '@temporalio/common';
import { failureTypes } from '../shared/kernel/engine/failure-types.ts';

/** Between two attempts of what waits for a task. */
const RETRY_DELAY = '5s';

/** What a run waits for whose plan has a task that this release does not have, as the continuation of "Waiting for". */
export function missingTaskSentence(name: string): string {
  return `task ${name}, which is not in this release: go back to a release that has it, or stop the run`;
}

/** The failure of an activity that is repeated until it is carried out by a release that has the task. */
export function missingTask(name: string): ApplicationFailure {
  return ApplicationFailure.create({
    message: missingTaskSentence(name),
    type: failureTypes.missingTask,
    nextRetryDelay: RETRY_DELAY,
  });
}
