import { ApplicationFailure } from '@temporalio/common';
import type { Areas } from '../../shared/domain/areas.ts';
import type { MeasuredPass } from '../../shared/domain/runs/index.ts';
import type { HeldRun } from '../../shared/domain/runs/run-model.ts';
import { isStoreUnavailable, isUnstorable } from '../../shared/kernel/database.ts';
import { messageOf } from '../../shared/kernel/errors.ts';
import { derivedId } from '../../shared/kernel/ids.ts';
import type { Logger } from '../../shared/kernel/log.ts';
import type { CalibrationActivities } from '../contract.ts';

/** Records the kept answers of a stage. @param last of its tries: what fails now is given up, if the store is there */
export type RecordKept = (
  run: HeldRun,
  stage: number,
  targets: readonly string[],
  tries: { last: boolean },
) => Promise<void>;

/**
 * Records what instruments answered in a stage that ends while nobody comes back to it: its worker died, and a cancel
 * keeps another from taking the task up. The measurement was made, so it counts. Safe to run twice, and beside a worker
 * that is not dead after all.
 */
export function createKeptRecording({
  areas,
  record,
  log,
}: {
  areas: Pick<Areas, 'results' | 'runs'>;
  record: CalibrationActivities['record'];
  log: Pick<Logger, 'warn'>;
}): RecordKept {
  const { results, runs } = areas;
  const { keptAnswers } = runs;

  async function recordAll(run: HeldRun, stage: number, targets: readonly string[]): Promise<void> {
    const { project_id, execution_id } = run;
    const left = await keptAnswers.list(run);
    if (left.length === 0) return;
    const rows = await results.ofTargets(project_id, execution_id, stage, targets);
    const open = rows.filter(({ status }) => status === 'running');

    async function recordOne(measured: MeasuredPass): Promise<void> {
      const { task_id, pass } = measured;
      // Targets that shared the measurement have rows of their own.
      const own = open.filter(
        (row) => row.task_id === task_id || row.task_id === derivedId(task_id, row.qid),
      );
      const stored = await Promise.all(own.map((row) => results.get(project_id, row.task_id)));
      // Of those that shared it some may have gone on to their next pass.
      const here = own.filter((_, index) => (stored[index]?.passes?.length ?? 0) + 1 === pass);
      const [first] = here;
      const answer = first ? await keptAnswers.read(run, measured) : null;
      if (!first || !answer) return;
      try {
        await record({
          run,
          stage,
          targets: here.map(({ qid }) => qid),
          index: first.index,
          finished: { task_id, ...answer, pass },
          next_task_id: null,
        });
      } catch (thrown) {
        // The run holds the project no more, or the store takes no such values: another try would end alike.
        const isFinal = thrown instanceof ApplicationFailure && thrown.nonRetryable;
        if (!isFinal && !isUnstorable(thrown)) throw thrown;
        log.warn({ execution_id, task_id, error: messageOf(thrown) }, 'a kept answer was not recorded');
        return;
      }
      await keptAnswers.drop(run, measured);
    }

    const ends = await Promise.allSettled(left.map(recordOne));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }

  return async (run, stage, targets, { last }) => {
    try {
      await recordAll(run, stage, targets);
    } catch (thrown) {
      if (!last || isStoreUnavailable(thrown)) throw thrown;
      log.warn({ execution_id: run.execution_id, error: messageOf(thrown) }, 'kept answers are given up');
    }
  };
}
