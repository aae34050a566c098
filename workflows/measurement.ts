/** One measurement, and when it is made again. */
import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  isCancellation,
  TimeoutFailure,
} from '@temporalio/workflow';
import type { FinishedMeasurement, NextMeasurement } from '../activities/contracts/steps.ts';
import {
  backendErrorSentence,
  oversizeProblem,
  TIME_LIMIT_SENTENCE,
} from '../shared/domain/backends/answer-rules.ts';
import { failureTypes } from '../shared/kernel/engine/failure-types.ts';
import { unreadableReason } from '../shared/kernel/engine/unreadable.ts';
import type { Completions } from './completions.ts';
import { measuring } from './policies.ts';
import { labelOf } from './summaries.ts';

/** Times that a measurement is repeated after its worker gave no sign of life. */
const LOST_REPEATS = 2;
/** Times that it is repeated after its worker was stopped or an operator reset it, neither of which the instrument caused. */
const INTERRUPTED_REPEATS = 10;

/**
 * Makes a measurement. It is repeated when it was not answered, because its worker died, was stopped or was reset; never
 * when it was answered. `attempt` of the request counts how often it was asked for.
 *
 * @param follow waits for the turn of each attempt's completion
 * @throws CancelledFailure when the run is cancelled and the backend has confirmed that the instrument stopped
 */
export async function measure(
  backend: string,
  { request, timeout, heartbeat_timeout }: NextMeasurement,
  follow: Completions['follow'],
): Promise<FinishedMeasurement> {
  const { task_id, pass = 1 } = request;
  const measured = { task_id, pass };
  const interruptions = createInterruptions();
  const label = labelOf(request.targets);
  for (let attempt = 1; ; attempt += 1) {
    try {
      const activities = measuring(
        { backend, timeout, heartbeatTimeout: heartbeat_timeout },
        {
          summary: `${request.task_name} ${label}${attempt > 1 ? ` (attempt ${attempt})` : ''}`,
          id: `${request.task_name} · ${label} · ${attempt}`,
        },
      );
      const result = await follow(activities.measure({ ...request, attempt }));
      return answered({ ...measured, attempt }, result);
    } catch (thrown) {
      if (isCancellation(thrown) || CancellationScope.current().consideredCancelled) throw thrown;
      if (!(thrown instanceof ActivityFailure)) throw thrown;
      const { cause } = thrown;
      if (!interruptions.note(cause, attempt)) return failed({ ...measured, attempt }, sentenceOf(cause));
      if (interruptions.areTooMany()) {
        return { ...failed({ ...measured, attempt }, interruptions.sentence()), given_up: true };
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

/** The attempt that measured, where a worker answers a repetition with a result that it kept. */
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
    /** @returns false for an answer, which is no interruption */
    note(cause: unknown, attempt: number): boolean {
      if (isLost(cause)) lost.add(attempt);
      else if (isInterrupted(cause)) interrupted += 1;
      else return false;
      // Its worker was alive: Temporal or the network was away.
      for (const each of cutOffAttempts(cause)) lost.delete(each);
      return true;
    },
    areTooMany: () => lost.size > LOST_REPEATS || interrupted > INTERRUPTED_REPEATS,
    sentence: () => givenUp(lost.size, interrupted),
  };
}

/** Attempts of which a worker says that it still held them while Temporal could not be reached. */
function cutOffAttempts(cause: unknown): number[] {
  const details: unknown = cause instanceof TimeoutFailure ? cause.lastHeartbeatDetails : null;
  if (typeof details !== 'object' || details === null || !('cut_off_attempts' in details)) return [];
  const attempts = details.cut_off_attempts;
  return Array.isArray(attempts) ? attempts.filter((each) => typeof each === 'number') : [];
}

/** The server has not heard from the worker for the heartbeat timeout. */
function isLost(cause: unknown): boolean {
  return cause instanceof TimeoutFailure && cause.timeoutType === 'HEARTBEAT';
}

const interruptionTypes: readonly unknown[] = [failureTypes.workerShutdown, failureTypes.activityReset];

function isInterrupted(cause: unknown): boolean {
  return cause instanceof ApplicationFailure && interruptionTypes.includes(cause.type);
}

/** Points the operator at the workers rather than the instrument. */
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

function sentenceOf(cause: unknown): string {
  if (cause instanceof TimeoutFailure) return TIME_LIMIT_SENTENCE;
  return backendErrorSentence(cause instanceof Error ? cause.message : 'unknown');
}
