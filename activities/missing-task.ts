import { ApplicationFailure } from '@temporalio/common';
import { failureTypes } from '../shared/kernel/engine/failure-types.ts';

/** Between two attempts of what waits for a task. */
const RETRY_DELAY = '5s';

/** A planned task that this release does not have, or not with these run parameters. */
export interface WantedTask {
  name: string;
  run_parameters?: string[];
}

/** What a run waits for whose plan has a task that this release does not have, as the continuation of "Waiting for". */
export function missingTaskSentence({ name, run_parameters }: WantedTask): string {
  return run_parameters
    ? `task ${name} with its planned run parameter ${run_parameters.join(', ')}, which is not in this release: go back to a release that has it, or stop the run`
    : `task ${name}, which is not in this release: go back to a release that has it, or stop the run`;
}

/** The failure of an activity that is repeated until it is carried out by a release that has the task. */
export function missingTask(wanted: WantedTask): ApplicationFailure {
  return ApplicationFailure.create({
    message: missingTaskSentence(wanted),
    type: failureTypes.missingTask,
    nextRetryDelay: RETRY_DELAY,
  });
}
