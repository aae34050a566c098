import { LRUCache } from 'lru-cache';
import { messageOf } from '../../shared/kernel/errors.ts';
import type { Logger } from '../../shared/kernel/log.ts';
import type { CalibrationActivities, RecordInput, RecordOutput } from '../contract.ts';

/** Milliseconds for which records may hold up the stage that asks for them: a person or a chip that waits does not notice. */
const MOMENT = 250;
/** Steps that are remembered beyond their moment; more than a process carries out at once. */
const REMEMBERED = 500;

type Recording = Pick<CalibrationActivities, 'record' | 'recordTogether' | 'recordAtOnce'>;

export interface RecordTogetherDependencies extends Pick<CalibrationActivities, 'record'> {
  log: Pick<Logger, 'warn'>;
}

/**
 * The activities that carry out steps of record keeping, one or several. A step that takes longer than its moment goes on,
 * and whoever is asked for it then waits for that instead of doing it beside it; in another process it is done again.
 */
export function createRecordsTogether({ record, log }: RecordTogetherDependencies): Recording {
  const late = new LRUCache<string, Promise<RecordOutput>>({ max: REMEMBERED });

  /** Of each step the answer; null where it fails. */
  async function each(
    steps: readonly RecordInput[],
    carryOut: (step: RecordInput) => Promise<RecordOutput | null>,
  ): Promise<{ recorded: (RecordOutput | null)[] }> {
    const recorded = steps.map(async (step) => {
      try {
        return await carryOut(step);
      } catch (thrown) {
        const { execution_id } = step.run;
        log.warn({ execution_id, targets: step.targets, error: messageOf(thrown) }, 'not recorded yet');
        return null;
      }
    });
    return { recorded: await Promise.all(recorded) };
  }

  async function withinMoment(step: RecordInput): Promise<RecordOutput | null> {
    const recording = record(step);
    let timer: NodeJS.Timeout | undefined;
    const moment = new Promise<null>((resolve) => {
      timer = setTimeout(() => resolve(null), MOMENT);
    });
    try {
      const recorded = await Promise.race([recording, moment]);
      if (!recorded) remember(step, recording);
      return recorded;
    } finally {
      clearTimeout(timer);
    }
  }

  function remember(step: RecordInput, recording: Promise<RecordOutput>): void {
    // Who asks for it is told how it failed; where nobody does, another process took the stage over.
    recording.catch(() => undefined);
    late.set(keyOf(step), recording);
  }

  function carryOn(step: RecordInput): Promise<RecordOutput> {
    const key = keyOf(step);
    const recording = late.get(key) ?? record(step);
    // What failed is tried again.
    late.delete(key);
    return recording;
  }

  return {
    record: carryOn,
    recordTogether: ({ steps }) => each(steps, carryOn),
    recordAtOnce: ({ steps }) => each(steps, withinMoment),
  };
}

/** The same for a step that is asked for again, by whichever activity. */
function keyOf({ run, stage, targets, index, finished, next_task_id, following_id }: RecordInput): string {
  const measured = finished && [finished.task_id, finished.pass, finished.attempt];
  const ids = [next_task_id, following_id];
  return JSON.stringify([run.project_id, run.execution_id, stage, targets, index, measured, ids]);
}
