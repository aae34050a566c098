import { setTimeout as wait } from 'node:timers/promises';
import { CompleteAsyncError, type Context } from '@temporalio/activity';
import { ActivityNotFoundError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { failureTypes } from '../../shared/kernel/engine/failure-types.ts';

/** Measurements that took at least this many milliseconds are delivered with confirmation. */
const WORTH_CONFIRMING = 1000;
/** Timeout of one delivery attempt, in milliseconds. */
const TRY_LIMIT = 5000;
/** Milliseconds between two delivery attempts. */
const PAUSE = 500;

/** The outcome of a measurement: the instrument's answer, or the reason why there is none, as a message. */
export type Ended = { result: unknown; failure: null } | { result: null; failure: string };

/**
 * Ends the activity with a finished measurement.
 *
 * The SDK gives up completing an activity after about ten seconds of network errors, and the server then repeats the
 * measurement after the heartbeat timeout. So the result of a long measurement is delivered by the client, which retries until
 * the server accepts it or no longer waits for it.
 *
 * @param took duration of the measurement in milliseconds
 * @param interval milliseconds between heartbeats to the SDK, which ends an activity without heartbeats
 * @returns the answer, for the SDK to deliver
 * @throws CompleteAsyncError when the server has the answer; ApplicationFailure `MeasurementError` for the SDK to deliver
 */
export async function deliver(
  context: Context,
  ended: Ended,
  { took, interval }: { took: number; interval: number },
): Promise<unknown> {
  const failure =
    ended.failure === null ? null : ApplicationFailure.nonRetryable(ended.failure, failureTypes.measurement);
  if (took >= WORTH_CONFIRMING && (await isConfirmed(context, { failure, result: ended.result, interval }))) {
    throw new CompleteAsyncError();
  }
  if (failure) throw failure;
  return ended.result;
}

async function isConfirmed(
  { client, info, heartbeat, cancellationSignal }: Context,
  { failure, result, interval }: { failure: ApplicationFailure | null; result: unknown; interval: number },
): Promise<boolean> {
  // The first one at once: the last heartbeat of the measurement may be as old as the interval.
  heartbeat();
  const beating = setInterval(() => heartbeat(), interval);
  try {
    // When the worker stops or the run is cancelled, the SDK completes the activity.
    while (!cancellationSignal.aborted) {
      try {
        await client.withDeadline(Date.now() + TRY_LIMIT, () =>
          failure
            ? client.activity.fail(info.taskToken, failure)
            : client.activity.complete(info.taskToken, result),
        );
        return true;
      } catch (thrown) {
        if (thrown instanceof ActivityNotFoundError) return false;
        await wait(PAUSE, undefined, { signal: cancellationSignal }).catch(() => undefined);
      }
    }
    return false;
  } finally {
    clearInterval(beating);
  }
}
