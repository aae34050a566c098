import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { Areas } from '../shared/domain/areas.ts';
import { backendErrorSentence, TIME_LIMIT_SENTENCE } from '../shared/domain/backends/answer-rules.ts';
import type { KeptAnswer, KeptAnswers, MeasuredPass } from '../shared/domain/runs/index.ts';
import { isUnstorable } from '../shared/kernel/database.ts';
import { messageOf } from '../shared/kernel/errors.ts';
import { derivedId } from '../shared/kernel/ids.ts';
import type { Logger } from '../shared/kernel/log.ts';
import { markAnswer, timeOfAnswer } from './answer-marks.ts';
import { createAttemptQueue } from './backends/attempt-queue.ts';
import type { MeasureRequest } from './backends/backend.ts';
import {
  type Answer,
  type Attempt,
  giveSigns,
  heartbeatsOf,
  type Instrument,
  whileAlive,
} from './backends/instrument.ts';
import type {
  CalibrationActivities,
  MeasureAndRecordInput,
  RecordInput,
  RecordingBackendActivities,
  RecordOutput,
} from './contract.ts';
import { followingTasks } from './following-tasks.ts';

/** Seconds beyond a measurement's limit, so that a backend can still say that it ran out of time. */
const MEASURE_MARGIN = 15;

export interface MeasureAndRecordDependencies {
  instrument: Instrument;
  record: CalibrationActivities['record'];
  keptAnswers: KeptAnswers;
  /** Which tell whether people asked a run to begin no measurement, and whether a task was prepared before. */
  areas: Pick<Areas, 'executions' | 'results'>;
  log: Pick<Logger, 'warn'>;
}

/** An attempt at the task, as its instrument is to know it. */
type Asking = Omit<Attempt, 'keep' | 'stop'> & Required<Pick<Attempt, 'stop'>>;

/** A step of record keeping that failed, but may be done later. */
class Undone extends Error {
  readonly step: RecordInput;
  constructor(step: RecordInput) {
    super('a step of record keeping could not be done');
    this.step = step;
  }
}

/**
 * The `measureAndRecord` activity of a backend inside our worker: prepares a task, measures and records it, and goes on
 * with the next tasks of its target while they are quick. The instrument's answer is on the disk before anything of it is
 * recorded; who finds it there, or the task's outcome stored, does not measure. So it is safe to run twice, also beside an
 * attempt that the engine gave up; the second time it brings to an end what was begun, and begins nothing more.
 *
 * @throws ApplicationFailure as instrument and record keeping do. What record keeping could do later is the answer instead.
 */
export function createMeasureAndRecord({
  instrument,
  record,
  keptAnswers,
  areas,
  log,
}: MeasureAndRecordDependencies): RecordingBackendActivities {
  const inTurn = createAttemptQueue();

  async function carryOut(step: RecordInput): Promise<RecordOutput> {
    try {
      return await record(step);
    } catch (thrown) {
      if (thrown instanceof ApplicationFailure || isUnstorable(thrown)) throw thrown;
      log.warn({ execution_id: step.run.execution_id, error: messageOf(thrown) }, 'not recorded yet');
      throw new Undone(step);
    }
  }

  /** Asks the instrument, within the task's time, and keeps what it answered. */
  async function answered(
    { run, attempt }: MeasureAndRecordInput,
    request: MeasureRequest,
    asking: Asking,
  ): Promise<KeptAnswer> {
    const late = new AbortController();
    let keeping: Promise<void> = Promise.resolve();
    let limit: NodeJS.Timeout | undefined;
    const overdue = new Promise<Answer>((resolve) => {
      limit = setTimeout(
        () => {
          resolve({ result: null, failure: TIME_LIMIT_SENTENCE });
          late.abort();
        },
        (request.timeout + MEASURE_MARGIN) * 1000,
      );
    });
    const measuring = instrument(
      { ...request, attempt },
      {
        ...asking,
        stop: AbortSignal.any([late.signal, asking.stop]),
        async keep(answer) {
          // What comes after the task's time would stay when the task is recorded.
          if (late.signal.aborted) return;
          // A disk that has no room for it has none for raw data either, and record keeping says so.
          keeping = keptAnswers
            .keep(run, passOf(request), keptOf(attempt, answer))
            .catch((thrown: unknown) => log.warn({ error: messageOf(thrown) }, 'an answer was not kept'));
          await keeping;
        },
      },
    );
    // An instrument that does not let go may fail when nobody waits for it any more.
    measuring.catch(() => undefined);
    try {
      const answer = await Promise.race([measuring, overdue]);
      await keeping;
      return keptOf(attempt, answer);
    } finally {
      clearTimeout(limit);
    }
  }

  /** Brings the task, and those that the activity goes on with, from where they stand to their end. */
  async function goThrough(
    input: MeasureAndRecordInput,
    asking: Asking,
    again: boolean,
  ): Promise<{ recorded: RecordOutput; last?: string }> {
    const { run, stage, index, after } = input;
    const { context, heartbeats } = asking;
    const following = followingTasks(areas, input, { again, signal: context.cancellationSignal });
    let preparing = {
      ...{ targets: input.targets, index, finished: null, next_task_id: input.task_id },
      ...(after?.task_id !== undefined && { upstream_id: after.task_id }),
    };
    let last: { last?: string } = {};
    let heldAt = Number.NEGATIVE_INFINITY;
    const isLeaving = () => Boolean(context.cancellationDetails?.cancelRequested);
    const prepare = async () => {
      const begun = performance.now();
      const prepared = await whileAlive(heartbeats, () => carryOut({ run, stage, ...preparing, again }));
      heldAt = begun;
      return prepared;
    };
    /** What decides whether to measure; where that cannot be told now, the task waits. */
    const told = async <T>(read: () => Promise<T>): Promise<T> => {
      try {
        return await read();
      } catch (thrown) {
        log.warn({ execution_id: run.execution_id, error: messageOf(thrown) }, 'not measured yet');
        throw new Undone({ run, stage, ...preparing, again: true });
      }
    };
    /** The answer with which a measurement is recorded, or what is next where somebody else has recorded it. */
    const answerTo = async (next: NonNullable<RecordOutput['next']>): Promise<KeptAnswer | RecordOutput> => {
      const { request, known, repeated } = next;
      const measured = passOf(request);
      if (known) return { attempt: input.attempt, result: null, failure: null };
      if (again || repeated) {
        const kept = await told(() => keptAnswers.read(run, measured));
        if (kept) return kept;
        // What another attempt recorded since it is told by the rows, and no longer by a file.
        const now = await prepare();
        if (!now.next || now.next.known || passOf(now.next.request).pass !== measured.pass) return now;
      }
      return answered(input, request, { ...asking, heldAt });
    };
    let output = await prepare();
    let ended: RecordOutput | null = null;
    while (output.next) {
      const { request } = output.next;
      const measured = passOf(request);
      const asked = performance.now();
      const answer = await answerTo(output.next);
      if ('passed' in answer) {
        output = ended ? together(ended, answer) : answer;
        continue;
      }
      const took = performance.now() - asked;
      const following_id = isLeaving()
        ? undefined
        : await whileAlive(heartbeats, () => told(() => following.next(took)));
      const step: RecordInput = {
        run,
        stage,
        targets: output.passed,
        index: output.index,
        finished: { ...measured, ...answer },
        // A worker that stops leaves the next pass to another one.
        next_task_id: isLeaving() ? null : derivedId(request.task_id, `pass ${measured.pass + 1}`),
        ...(following_id === undefined ? { goes_on: false } : { following_id, again }),
      };
      const begun = performance.now();
      const recorded = await whileAlive(heartbeats, () => carryOut(step));
      await keptAnswers
        .drop(run, measured)
        .catch((thrown: unknown) => log.warn({ error: messageOf(thrown) }, 'a kept answer is left over'));
      output = together(output, recorded);
      last = { last: measured.task_id };
      if (following_id !== undefined && recorded.index > step.index) {
        following.begin();
        ended = output;
        heldAt = begun;
        preparing = {
          ...{ targets: recorded.passed, index: step.index + 1, finished: null, next_task_id: following_id },
          upstream_id: measured.task_id,
        };
      }
    }
    return { recorded: output, ...last };
  }

  return {
    async measureAndRecord(input) {
      const context = Context.current();
      const again = input.again || context.info.attempt > 1;
      const { after } = input;
      const heartbeats = heartbeatsOf(context, again ? undefined : timeOfAnswer(after?.mark));
      const waiting = giveSigns(heartbeats);
      try {
        const { recorded, last } = await inTurn(input.task_id, (stop) => {
          waiting.end();
          return goThrough(input, { context, heartbeats, stop }, again);
        });
        if (after === undefined) return { recorded };
        return { recorded, after: { mark: markAnswer(), ...(last !== undefined && { task_id: last }) } };
      } catch (thrown) {
        if (thrown instanceof Undone) return { undone: thrown.step };
        throw thrown;
      } finally {
        waiting.end();
        heartbeats.end();
      }
    },
  };
}

function passOf({ task_id, pass = 1 }: MeasureRequest): MeasuredPass {
  return { task_id, pass };
}

/** As the task will say it. */
function keptOf(attempt: number, { result, failure }: Answer): KeptAnswer {
  const isOurs = failure === null || failure === TIME_LIMIT_SENTENCE;
  return { attempt, result, failure: isOurs ? failure : backendErrorSentence(failure) };
}

function together(before: RecordOutput, after: RecordOutput): RecordOutput {
  return {
    ...after,
    completed: before.completed + after.completed,
    failed: before.failed + after.failed,
    skipped: before.skipped + after.skipped,
  };
}

/**
 * The same for a queue that serves others, too: `full` to whoever asks beyond so many at once, and nothing is begun of
 * their task.
 */
export function withRoom(
  measureAndRecord: RecordingBackendActivities['measureAndRecord'],
  room: number,
): RecordingBackendActivities['measureAndRecord'] {
  let underWay = 0;
  return async (input) => {
    if (underWay >= room) return { full: true };
    underWay += 1;
    try {
      return await measureAndRecord(input);
    } finally {
      underWay -= 1;
    }
  };
}
