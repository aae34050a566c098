/** Beside the steps: records results of a cancelled stage that were not delivered. */
import { ApplicationFailure } from '@temporalio/common';
import type { Areas } from '../../shared/domain/areas.ts';
import type { MeasuredPass } from '../../shared/domain/runs/index.ts';
import type { HeldRun } from '../../shared/domain/runs/run-model.ts';
import { isStoreUnavailable, isUnstorable } from '../../shared/kernel/database.ts';
import { messageOf } from '../../shared/kernel/errors.ts';
import type { Logger } from '../../shared/kernel/log.ts';
import { derivedId } from '../../shared/kernel/new-ids.ts';
import type { CalibrationActivities } from '../contracts/runs.ts';

/**
 * Records the undelivered results of a stage.
 * @param attempt `isLast`: in the last attempt, a result that cannot be recorded is given up if the store can be reached
 */
export type RecordUndelivered = (
  run: HeldRun,
  stage: number,
  targets: readonly string[],
  attempt: { isLast: boolean },
) => Promise<void>;

/**
 * Records results that workers have kept in a cancelled stage: the worker died before it could deliver them, and because of the
 * cancellation no later attempt asks for them. The measurements were made, so they count. Safe to repeat, and safe while such a
 * worker is still alive.
 */
export function createUndeliveredRecording({
  areas,
  record,
  log,
}: {
  areas: Pick<Areas, 'results' | 'runs'>;
  record: CalibrationActivities['record'];
  log: Pick<Logger, 'warn'>;
}): RecordUndelivered {
  const { results, runs } = areas;
  const { keptResults } = runs;

  async function recordAll(run: HeldRun, stage: number, targets: readonly string[]): Promise<void> {
    const { project_id, execution_id } = run;
    const left = await keptResults.list(run);
    if (left.length === 0) return;
    const rows = await results.ofTargets(project_id, execution_id, stage, targets);
    const open = rows.filter(({ status }) => status === 'running');

    async function recordOne(measured: MeasuredPass): Promise<void> {
      const { task_id, pass } = measured;
      // Targets that shared the measurement have separate rows.
      const own = open.filter(
        (row) => row.task_id === task_id || row.task_id === derivedId(task_id, row.qid),
      );
      const stored = await Promise.all(own.map((row) => results.get(project_id, row.task_id)));
      // Some of these targets may be in their next pass already.
      const inPass = own.filter((_, index) => (stored[index]?.passes?.length ?? 0) + 1 === pass);
      const [first] = inPass;
      const kept = first ? await keptResults.read(run, measured) : null;
      if (!first || !kept) return;
      try {
        await record({
          run,
          stage,
          targets: inPass.map(({ qid }) => qid),
          index: first.index,
          step: 'finish',
          finished: { task_id, pass, ...kept },
        });
      } catch (thrown) {
        // The run no longer holds the project, or the store refuses the values: a retry would fail in the same way.
        const isFinal = thrown instanceof ApplicationFailure && thrown.nonRetryable;
        if (!isFinal && !isUnstorable(thrown)) throw thrown;
        log.warn({ execution_id, task_id, error: messageOf(thrown) }, 'a kept result was not recorded');
      }
    }

    const ends = await Promise.allSettled(left.map(recordOne));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }

  return async (run, stage, targets, { isLast }) => {
    try {
      await recordAll(run, stage, targets);
    } catch (thrown) {
      if (!isLast || isStoreUnavailable(thrown)) throw thrown;
      log.warn({ execution_id: run.execution_id, error: messageOf(thrown) }, 'kept results are given up');
    }
  };
}
