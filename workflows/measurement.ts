/** One measurement, and when it is repeated. */
import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  isCancellation,
  TimeoutFailure,
} from '@temporalio/workflow';
import type { FinishedMeasurement, NextMeasurement } from '../activities/contracts/steps.ts';
import {
  backendErrorMessage,
  oversizeProblem,
  TIME_LIMIT_MESSAGE,
} from '../shared/domain/backends/answer-rules.ts';
import { failureTypes } from '../shared/kernel/engine/failure-types.ts';
import { unreadableReason } from '../shared/kernel/engine/unreadable.ts';
import type { Completions } from './completions.ts';
import { measuring } from './policies.ts';
import type { SpaceWait } from './space-wait.ts';
import { attemptId, labelOf, measurementId } from './summaries.ts';

/** Number of times a measurement is repeated after its worker sent no heartbeat. */
const LOST_REPEATS = 2;
/** Number of times it is repeated after a stop of its worker or a reset by an operator, which the instrument did not cause. */
const INTERRUPTED_REPEATS = 10;

/**
 * Makes a measurement. It is repeated only if no answer arrived, because its worker died, was stopped or was reset. `attempt`
 * in the request counts the attempts, starting at that of the given request.
 *
 * @param needs `follow` waits until the completion of an attempt may be applied; `space` lets it wait for space on a disk
 * @throws CancelledFailure when the run is cancelled and the backend has confirmed that the instrument stopped
 */
export async function measure(
  backend: string,
  { request, timeout, heartbeat_timeout }: NextMeasurement,
  { follow, space }: { follow: Completions['follow']; space: SpaceWait },
): Promise<FinishedMeasurement> {
  const { task_id, pass = 1 } = request;
  const measured = { task_id, pass };
  const interruptions = createInterruptions();
  const label = labelOf(request.targets);
  let withoutSpace = 0;
  for (let attempt = request.attempt; ; attempt += 1) {
    try {
      const activities = measuring(
        { backend, timeout, heartbeatTimeout: heartbeat_timeout },
        {
          summary: `${request.task_name} ${label}${attempt > 1 ? ` (attempt ${attempt})` : ''}`,
          id: attemptId(measurementId(request), attempt),
        },
      );
      const result = await follow(activities.measure({ ...request, attempt }));
      return answered({ ...measured, attempt }, result);
    } catch (thrown) {
      if (isCancellation(thrown) || CancellationScope.current().consideredCancelled) throw thrown;
      if (!(thrown instanceof ActivityFailure)) throw thrown;
      const { cause } = thrown;
      const shortage = space.shortageIn(cause, withoutSpace);
      if (shortage !== null && (await space.afterFailure(label, shortage, withoutSpace))) {
        withoutSpace += 1;
        continue;
      }
      if (!interruptions.note(cause, attempt)) return failed({ ...measured, attempt }, failureMessage(cause));
      if (interruptions.areTooMany()) {
        return { ...failed({ ...measured, attempt }, interruptions.message()), given_up: true };
      }
    }
  }
}

type Attempt = Pick<FinishedMeasurement, 'task_id' | 'pass' | 'attempt'>;

function answered(attempt: Attempt, result: unknown): FinishedMeasurement {
  const unreadable = unreadableReason(result);
  if (unreadable !== null) return failed(attempt, `The backend's answer cannot be read: ${unreadable}.`);
  const oversize = oversizeProblem(JSON.stringify(result ?? null).length);
  if (oversize !== null) return failed(attempt, oversize);
  return { ...attempt, attempt: measuredInAttempt(result) ?? attempt.attempt, result, failure: null };
}

/** The attempt that measured, if the worker returned a result that it had kept. */
function measuredInAttempt(result: unknown): number | null {
  if (typeof result !== 'object' || result === null || !('measured_in_attempt' in result)) return null;
  return typeof result.measured_in_attempt === 'number' ? result.measured_in_attempt : null;
}

function failed(attempt: Attempt, failure: string): FinishedMeasurement {
  return { ...attempt, result: null, failure };
}

/** Counts what interrupted the attempts of one measurement. */
function createInterruptions() {
  const lost = new Set<number>();
  let interrupted = 0;
  return {
    /** @returns false if the attempt was answered rather than interrupted */
    note(cause: unknown, attempt: number): boolean {
      if (isLost(cause)) lost.add(attempt);
      else if (isInterrupted(cause)) interrupted += 1;
      else return false;
      // The worker was alive, but Temporal or the network was not reachable.
      for (const each of cutOffAttempts(cause)) lost.delete(each);
      return true;
    },
    areTooMany: () => lost.size > LOST_REPEATS || interrupted > INTERRUPTED_REPEATS,
    message: () => givenUp(lost.size, interrupted),
  };
}

/** Attempts that a worker reports as still running while Temporal could not be reached. */
function cutOffAttempts(cause: unknown): number[] {
  const details: unknown = cause instanceof TimeoutFailure ? cause.lastHeartbeatDetails : null;
  if (typeof details !== 'object' || details === null || !('cut_off_attempts' in details)) return [];
  const attempts = details.cut_off_attempts;
  return Array.isArray(attempts) ? attempts.filter((each) => typeof each === 'number') : [];
}

/** Whether the server received no heartbeat within the timeout. */
function isLost(cause: unknown): boolean {
  return cause instanceof TimeoutFailure && cause.timeoutType === 'HEARTBEAT';
}

const interruptionTypes: readonly unknown[] = [failureTypes.workerShutdown, failureTypes.activityReset];

function isInterrupted(cause: unknown): boolean {
  return cause instanceof ApplicationFailure && interruptionTypes.includes(cause.type);
}

/** The message for the operator; it points at the workers rather than at the instrument. */
function givenUp(lost: number, interrupted: number): string {
  const reasons = [
    ...(lost > 0 ? [`its worker gave no sign of life ${times(lost)}`] : []),
    ...(interrupted > 0
      ? [`its worker was stopped or cut off, or it was reset by hand, ${times(interrupted)}`]
      : []),
  ];
  return `The measurement was given up: ${reasons.join(', and ')}. The instrument reported no error.`;
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

function failureMessage(cause: unknown): string {
  if (cause instanceof TimeoutFailure) return TIME_LIMIT_MESSAGE;
  return backendErrorMessage(cause instanceof Error ? cause.message : 'unknown');
}
