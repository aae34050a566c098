import { ApplicationFailure } from '@temporalio/common';
import { diskProblemOf } from '../shared/kernel/disk-errors.ts';
import { failureTypes } from '../shared/kernel/engine/failure-types.ts';
import { messageOf } from '../shared/kernel/errors.ts';

/** Between two attempts of what waits for space. */
const RETRY_DELAY = '5s';

/** The failure of an activity that is repeated until there is space. @param shortage as from `DiskSpace.shortage` */
export function outOfSpace(shortage: string): ApplicationFailure {
  return ApplicationFailure.create({
    message: shortage,
    type: failureTypes.outOfSpace,
    nextRetryDelay: RETRY_DELAY,
  });
}

/** The same for an error of a disk that takes no more data; null for any other error. */
export function asOutOfSpace(thrown: unknown): ApplicationFailure | null {
  if (thrown instanceof ApplicationFailure) return null;
  const message = messageOf(thrown);
  const problem = diskProblemOf(message);
  return problem === null ? null : outOfSpace(`the disk ${problem}: ${message}`);
}
