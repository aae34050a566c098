import { ApplicationFailure } from '@temporalio/common';
import { failureTypes } from '../shared/kernel/engine/failure-types.ts';

/** Between two attempts of what waits for a task. */
const RETRY_DELAY = '5s';

/** A planned task that this release does not have, or not with these run parameters; or a declaration that is gone. */
export interface WantedTask {
  name: string;
  /** Hash of the declaration that the plan pins; absent for a task of the catalog. */
  declaration?: string;
  run_parameters?: string[];
}

/** What a run waits for whose plan has a task that nothing defines any more, as the continuation of "Waiting for". */
export function missingTaskMessage({ name, declaration, run_parameters }: WantedTask): string {
  if (declaration !== undefined)
    return `task ${name} as its backend declared it (${declaration.slice(0, 12)}), which is no longer stored: start a worker of the backend that declares it like this, or stop the run`;
  return run_parameters
    ? `task ${name} with its planned run parameter ${run_parameters.join(', ')}, which is not in this release: go back to a release that has it, or stop the run`
    : `task ${name}, which is not in this release: go back to a release that has it, or stop the run`;
}

/** The failure of an activity that is repeated until it is carried out by a release that has the task. */
export function missingTask(wanted: WantedTask): ApplicationFailure {
  return ApplicationFailure.create({
    message: missingTaskMessage(wanted),
    type: failureTypes.missingTask,
    nextRetryDelay: RETRY_DELAY,
  });
}
