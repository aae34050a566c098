/** One measurement, and when it is made again. */
import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  isCancellation,
  TimeoutFailure,
} from '@temporalio/workflow';
import type { MeasureRequest } from '../activities/backends/backend.ts';
import type { FinishedMeasurement } from '../activities/contract.ts';
import {
  backendErrorSentence,
  oversizeProblem,
  TIME_LIMIT_SENTENCE,
} from '../shared/domain/backends/answer-rules.ts';
import type { HeldRun, RunPolicy } from '../shared/domain/runs/run-model.ts';
import { failureTypes } from '../shared/kernel/engine/failure-types.ts';
import { unreadableReason } from '../shared/kernel/engine/unreadable.ts';
import { has } from './patches.ts';
import { measuring } from './policies.ts';
import { labelOf } from './summaries.ts';

/** Times that a measurement is made again after its worker gave no sign of life. */
const LOST_REPEATS = 2;
/** Times that it is made again after its worker was stopped or an operator reset it: the instrument had no part in it. */
const INTERRUPTED_REPEATS = 10;

/** Which measurement it was. */
type MeasuredPass = Required<Pick<FinishedMeasurement, 'task_id' | 'pass'>>;

/** What a measurement brought, and how many bytes of it travel on. */
interface Measured {
  finished: FinishedMeasurement;
  bytes: number;
}

/**
 * Makes a measurement. It is made again when nothing was heard of it, because its worker died, was stopped or was told
 * to begin anew; never when it was answered. `attempt` of the request counts how often it was asked for.
 */
export async function measure(
  run: HeldRun,
  policy: RunPolicy,
  request: MeasureRequest,
  timeout: number,
): Promise<Measured> {
  const { task_id, pass = 1 } = request;
  const measured = { task_id, pass };
  const interruptions = createInterruptions();
  for (let attempt = 1; ; attempt += 1) {
    try {
      const label = labelOf(request.targets);
      const result = await measuring(run.backend, timeout, policy, {
        summary: `${request.task_name} ${label}${attempt > 1 ? ` (attempt ${attempt})` : ''}`,
        id: `${request.task_name} · ${label} · ${attempt}`,
      }).measure({ ...request, attempt });
      return answered(measured, attempt, result);
    } catch (thrown) {
      if (isCancellation(thrown) || CancellationScope.current().consideredCancelled) throw thrown;
      if (!(thrown instanceof ActivityFailure)) throw thrown;
      const { cause } = thrown;
      if (!interruptions.note(cause)) return failed(measured, attempt, sentenceOf(cause));
      if (attempt === 1) continue;
      if (!interruptions.areTooMany() && has('repeatsByCause')) continue;
      return failed(measured, attempt, interruptions.sentence());
    }
  }
}

function answered(measured: MeasuredPass, attempt: number, result: unknown): Measured {
  const unreadable = unreadableReason(result);
  if (unreadable !== null) {
    return failed(measured, attempt, `The backend's answer cannot be read: ${unreadable}.`);
  }
  const json = JSON.stringify(result ?? null);
  const oversize = oversizeProblem(json.length);
  if (oversize !== null) return failed(measured, attempt, oversize);
  return {
    finished: { ...measured, attempt, result, failure: null },
    bytes: new TextEncoder().encode(json).length,
  };
}

function failed(measured: MeasuredPass, attempt: number, failure: string): Measured {
  return { finished: { ...measured, attempt, result: null, failure }, bytes: 0 };
}

/** What cut a measurement short, and how often. */
export function createInterruptions() {
  let lost = 0;
  let interrupted = 0;
  return {
    /** @returns false for what is an answer, and no interruption */
    note(cause: unknown): boolean {
      if (isLost(cause)) lost += 1;
      else if (isInterrupted(cause)) interrupted += 1;
      else return false;
      return true;
    },
    areTooMany: () => lost > LOST_REPEATS || interrupted > INTERRUPTED_REPEATS,
    sentence: () => givenUp(lost, interrupted),
  };
}

/** A worker that died or was cut off says nothing about the measurement. */
function isLost(cause: unknown): boolean {
  return cause instanceof TimeoutFailure && cause.timeoutType === 'HEARTBEAT';
}

const interruptions: readonly unknown[] = [failureTypes.workerShutdown, failureTypes.activityReset];

function isInterrupted(cause: unknown): boolean {
  return cause instanceof ApplicationFailure && interruptions.includes(cause.type);
}

/** Tells the operator what to look at: the workers, not the instrument. */
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
