/** Steps that finish a measurement: writes its outcome to calibration state, history, provenance and end status. */
import { ApplicationFailure } from '@temporalio/common';
import { type CalibratedTarget, OutdatedWrite } from '../../shared/domain/chips/index.ts';
import type { TargetKind } from '../../shared/domain/chips/model.ts';
import { writeOrderOf } from '../../shared/domain/chips/write-order-rules.ts';
import type { FlowCommandDocument } from '../../shared/domain/executions/model.ts';
import { endedTaskOf } from '../../shared/domain/provenance/index.ts';
import type { TaskOutcome, TaskResultDocument } from '../../shared/domain/results/model.ts';
import type { HeldRun } from '../../shared/domain/runs/run-model.ts';
import { failureTypes } from '../../shared/kernel/engine/failure-types.ts';
import { taskIdSchema } from '../../shared/kernel/ids.ts';
import { derivedId } from '../../shared/kernel/new-ids.ts';
import { calendarDay } from '../../shared/kernel/time.ts';
import type { RecordDependencies } from './dependencies.ts';
import { isPersisted, type Task, targetKind } from './plans.ts';
import { newTaskRow } from './preparing.ts';

/** A task whose outcome is in calibration state. Its history, provenance and end status are not written yet. */
interface AppliedTask {
  row: TaskResultDocument;
  task: Task;
  outcome: TaskOutcome;
  /** Writes the daily snapshot of its target as it is after this task. */
  snapshot?: { day: string; write(): Promise<void> };
}

/** A task that this step has just applied. */
export interface TaskEnd extends AppliedTask {
  /** When only these writes were left, by `performance.now()`. */
  since: number;
  /** Age of its row in milliseconds at that time; infinite if another process created the row. */
  took: number;
}

/** A write of an outcome to calibration state that is in progress. */
export interface Applying {
  /** The expected target after the write, unless another process changes it first; null if it cannot be predicted. */
  expected: Readonly<CalibratedTarget> | null;
  /** Resolves when the outcome is written. `target` is null for a task without calibration state. */
  done: Promise<{ end: TaskEnd; target: Readonly<CalibratedTarget> | null }>;
}

/** Writes outcomes from task rows to calibration state, history and provenance, and sets the end status. */
export function createApplier({ areas, plans, settings }: RecordDependencies) {
  const { results, provenance } = areas;
  const { state } = areas.chips;
  const { locks } = areas.runs;

  /** Writes history and provenance of the tasks of one target, in the order in which they ended, and ends their rows. */
  async function keep(ends: readonly AppliedTask[]): Promise<void> {
    if (ends.length === 0) return;
    // Only values in calibration state become versions.
    const ended = ends.map(({ row, task, outcome }) =>
      endedTaskOf(row, isPersisted(task) ? outcome : { ...outcome, outputs: {} }),
    );
    // The snapshot of a day contains the values of all its tasks, so the last one is enough.
    const snapshots = new Map(ends.flatMap(({ snapshot }) => (snapshot ? [[snapshot.day, snapshot]] : [])));
    await Promise.all([
      ...[...snapshots.values()].map((snapshot) => snapshot.write()),
      provenance.addInOrder(ended),
    ]);
    await Promise.all(ends.map(({ row, outcome }) => results.end(row, outcome)));
  }

  return {
    /** @throws Fenced if this run no longer holds the project */
    async checkHolder(run: HeldRun): Promise<void> {
      const lock = await locks.get(run.project_id);
      if (lock?.epoch === run.epoch && lock.execution_id === run.execution_id && lock.state === 'held')
        return;
      throw ApplicationFailure.nonRetryable(
        `Execution ${run.execution_id} does not hold the project any more.`,
        failureTypes.fenced,
      );
    },

    /**
     * Applies the outcome on a row to calibration state. Safe to run twice.
     *
     * @param of `calibrated`: calibration state of the row's target as it was read for the row, null if the task has none;
     *   `begun`: when the row was created, by `performance.now()`
     */
    apply(
      run: HeldRun,
      row: TaskResultDocument,
      task: Task,
      {
        outcome,
        calibrated,
        begun,
      }: { outcome: TaskOutcome; calibrated: Readonly<CalibratedTarget> | null; begun: number },
    ): Applying {
      const since = performance.now();
      const end: TaskEnd = { row, task, outcome, since, took: since - begun };
      // Tasks of the whole chip or of its readout boxes have no calibration state.
      const kind = isPersisted(task) ? targetKind(task.definition) : null;
      if (kind === null) return { expected: null, done: Promise.resolve({ end, target: null }) };
      const isCompleted = outcome.status === 'completed';
      const change = {
        status: isCompleted ? ('completed' as const) : ('failed' as const),
        data: isCompleted ? outcome.outputs : {},
      };
      const order = writeOrderOf(run.epoch, row);
      const expected = state.expectedAfter(calibrated, order, change);
      return { expected, done: write(kind) };

      async function write(kind: TargetKind) {
        const { project_id, chip_id } = run;
        const day = calendarDay(outcome.end_at, settings.TIMEZONE);
        const target = { project_id, chip_id, kind, qid: row.qid };
        try {
          const written = await state.write({ ...target, seen: calibrated, expected }, order, change, {
            recorded_date: day,
            cooldown_id: row.cooldown_id,
          });
          return { end: { ...end, snapshot: { day, write: written.snapshot } }, target: written.target };
        } catch (thrown) {
          if (!(thrown instanceof OutdatedWrite)) throw thrown;
          const now = await state.read(project_id, chip_id, target.kind, row.qid);
          // A later task of this run has already written newer values.
          if (now?.epoch === run.epoch) return { end, target: null };
          throw ApplicationFailure.nonRetryable(thrown.message, failureTypes.fenced);
        }
      }
    },

    keep,

    /** Ends the tasks before this row, if the process that should have ended them died during its measurement. */
    async endBefore(run: HeldRun, { upstream_id }: Pick<TaskResultDocument, 'upstream_id'>): Promise<void> {
      const ends: AppliedTask[] = [];
      for (let id = upstream_id; id; ) {
        const row = await results.get(run.project_id, id);
        if (!row?.outcome || row.status !== 'running' || row.execution_id !== run.execution_id) break;
        const task = plans.task(await plans.of(run, row.stage), row.index);
        // The next task was measured, so the values of this one are in calibration state.
        if (task) ends.unshift({ row, task, outcome: row.outcome });
        id = row.upstream_id;
      }
      await keep(ends);
    },

    /** Stores the tasks after a failed one of the same target as skipped, with the reason. @returns their number */
    async skipRest(
      run: HeldRun,
      plan: FlowCommandDocument,
      failed: Pick<
        TaskResultDocument,
        'task_id' | 'name' | 'message' | 'cooldown_id' | 'qid' | 'index' | 'stage'
      >,
    ): Promise<number> {
      const at = new Date();
      const rows = plan.tasks.slice(failed.index + 1).flatMap((_planned, offset): TaskResultDocument[] => {
        const index = failed.index + 1 + offset;
        const task = plans.known(plan, index);
        if (!task) return [];
        const position = {
          run,
          stage: failed.stage,
          target: failed.qid,
          index,
          task_id: taskIdSchema.parse(derivedId(failed.task_id, `skipped ${index}`)),
          upstream_id: failed.task_id,
        };
        return [
          {
            ...newTaskRow(position, task, failed.cooldown_id, at),
            status: 'skipped',
            message: `Skipped, because ${failed.name} failed on ${failed.qid}: ${failed.message}`,
            start_at: null,
            end_at: at,
          },
        ];
      });
      await results.createMany(rows);
      return rows.length;
    },
  };
}
