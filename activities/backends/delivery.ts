import { setTimeout as wait } from 'node:timers/promises';
import { CompleteAsyncError, type Context } from '@temporalio/activity';
import { ActivityNotFoundError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { failureTypes } from '../../shared/kernel/engine/failure-types.ts';

/** Milliseconds from which on the delivery of a measurement is confirmed. */
const WORTH_CONFIRMING = 1000;
/** Milliseconds that one try to deliver may take. */
const TRY_LIMIT = 5000;
/** Milliseconds between two tries. */
const PAUSE = 500;

/** What a measurement came to: the instrument's answer, or the sentence why there is none. */
export type Ended = { result: unknown; failure: null } | { result: null; failure: string };

/**
 * Ends the activity with a finished measurement.
 *
 * The SDK gives up the completion of an activity after about ten seconds of network errors; the server then repeats the
 * measurement once the heartbeat timeout has passed. So a measurement that took its time is delivered by the client, again
 * and again until the server has taken it or answers that it does not wait for it any more.
 *
 * @param took milliseconds of the measurement
 * @param interval milliseconds between heartbeats to the SDK, which ends an activity that it does not hear
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
  const beating = setInterval(() => heartbeat(), interval);
  try {
    // A worker that stops, or whose run is cancelled, leaves the rest to the SDK.
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
