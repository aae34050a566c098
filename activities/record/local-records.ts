/** All steps: runs them as local or normal activities. */
import { LRUCache } from 'lru-cache';
import { messageOf } from '../../shared/kernel/errors.ts';
import type { Logger } from '../../shared/kernel/log.ts';
import type { CalibrationActivities, LocalActivities } from '../contracts/runs.ts';
import type { RecordInput, RecordOutput } from '../contracts/steps.ts';

/** Milliseconds for which records may delay the workflow task of their stage. */
const MOMENT = 250;
/** Number of slow steps to remember: more than a process runs at once. */
const REMEMBERED = 500;

export interface LocalRecordsDependencies extends Pick<CalibrationActivities, 'record'> {
  log: Pick<Logger, 'warn'>;
}

/**
 * The activities that run the steps of record keeping. A step that is too slow for the local activity continues in the
 * background. The normal activity `record` waits for it if it runs in the same process; in another process it repeats the step,
 * which is safe.
 */
export function createLocalRecords({
  record,
  log,
}: LocalRecordsDependencies): Pick<CalibrationActivities, 'record'> & Pick<LocalActivities, 'recordLocally'> {
  const underWay = new LRUCache<string, Promise<RecordOutput>>({ max: REMEMBERED });

  /** @returns null if the step fails or is too slow */
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
    } catch (thrown) {
      const { execution_id } = step.run;
      log.warn({ execution_id, targets: step.targets, error: messageOf(thrown) }, 'not recorded yet');
      return null;
    } finally {
      clearTimeout(timer);
    }
  }

  function remember(step: RecordInput, recording: Promise<RecordOutput>): void {
    // The normal activity reports the failure.
    recording.catch(() => undefined);
    underWay.set(keyOf(step), recording);
  }

  return {
    async record(step) {
      const key = keyOf(step);
      const recording = underWay.get(key) ?? record(step);
      // A failed step is retried.
      underWay.delete(key);
      return recording;
    },

    async recordLocally({ steps }) {
      return { recorded: await Promise.all(steps.map(withinMoment)) };
    },
  };
}

/** Key of a step; the same for each attempt, in the local and in the normal activity. */
function keyOf(input: RecordInput): string {
  const { run, stage, targets, index, step } = input;
  const measured =
    input.step === 'prepare' ? null : [input.finished.task_id, input.finished.pass, input.finished.attempt];
  return JSON.stringify([run.project_id, run.execution_id, stage, targets, index, step, measured]);
}
