import { ApplicationFailure } from '@temporalio/common';
import { type CalibratedTarget, OutdatedWrite } from '../../shared/domain/chips/index.ts';
import type { TargetKind } from '../../shared/domain/chips/model.ts';
import { writeOrderOf } from '../../shared/domain/chips/write-order-rules.ts';
import type { FlowCommandDocument } from '../../shared/domain/executions/model.ts';
import { endedTaskOf } from '../../shared/domain/provenance/index.ts';
import type { TaskOutcome, TaskResultDocument } from '../../shared/domain/results/model.ts';
import type { HeldRun } from '../../shared/domain/runs/run-model.ts';
import { failureTypes } from '../../shared/kernel/engine/failure-types.ts';
import { derivedId } from '../../shared/kernel/ids.ts';
import { calendarDay } from '../../shared/kernel/time.ts';
import type { RecordDependencies } from './dependencies.ts';
import { isPersisted, type Task, targetKind } from './plans.ts';
import { newTaskRow } from './preparing.ts';

/** A task whose outcome is calibration state; what is still to be written of it is history, provenance and end status. */
interface AppliedTask {
  row: TaskResultDocument;
  task: Task;
  outcome: TaskOutcome;
  /** Writes its target's snapshot of a day, as the target is after it. */
  snapshot?: { day: string; write(): Promise<void> };
}

/** The same where it was applied just now. */
export interface TaskEnd extends AppliedTask {
  /** When there was nothing but this left to do, by `performance.now()`. */
  since: number;
  /** Milliseconds for which its row was there by then; infinite where somebody else made it. */
  took: number;
}

/** An outcome that is being written to calibration state. */
export interface Applying {
  /** What the target is after the write unless another process changes it first; null where that cannot be said. */
  expected: Readonly<CalibratedTarget> | null;
  /** Resolves once it is written; `target` is null for a task without calibration state. */
  done: Promise<{ end: TaskEnd; target: Readonly<CalibratedTarget> | null }>;
}

/** Carries outcomes from their rows into what is kept: calibration state, history, provenance, end status. */
export function createApplier({ areas, plans, settings }: RecordDependencies) {
  const { results, provenance } = areas;
  const { state } = areas.chips;
  const { locks } = areas.runs;

  /** Keeps tasks of one target, in the order in which they ended, in history and provenance, and ends their rows. */
  async function keep(ends: readonly AppliedTask[]): Promise<void> {
    if (ends.length === 0) return;
    // Only values that became calibration state become versions.
    const ended = ends.map(({ row, task, outcome }) =>
      endedTaskOf(row, isPersisted(task) ? outcome : { ...outcome, outputs: {} }),
    );
    // What the last one of a day found stands beside all that was found before.
    const snapshots = new Map(ends.flatMap(({ snapshot }) => (snapshot ? [[snapshot.day, snapshot]] : [])));
    await Promise.all([
      ...[...snapshots.values()].map((snapshot) => snapshot.write()),
      provenance.addInOrder(ended),
    ]);
    await Promise.all(ends.map(({ row, outcome }) => results.end(row, outcome)));
  }

  return {
    /** @throws Fenced when this run does not hold the project any more. */
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
     * Applies the outcome that stands on a row to calibration state. Safe to run twice.
     *
     * @param of `calibrated` is calibration state of the row's target as it was read for it, null where the task has none;
     *   `begun` is when the row was made, by `performance.now()`
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
      // Tasks of the whole chip or its boxes say nothing about a qubit's calibration.
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
          // A later task of this run has written after the values of this one.
          if (now?.epoch === run.epoch) return { end, target: null };
          throw ApplicationFailure.nonRetryable(thrown.message, failureTypes.fenced);
        }
      }
    },

    keep,

    /** Ends the tasks before the one of this row, if their writer stopped while that was measured. */
    async endBefore(run: HeldRun, { upstream_id }: Pick<TaskResultDocument, 'upstream_id'>): Promise<void> {
      const ends: AppliedTask[] = [];
      for (let id = upstream_id; id; ) {
        const row = await results.get(run.project_id, id);
        if (!row?.outcome || row.status !== 'running' || row.execution_id !== run.execution_id) break;
        const task = plans.task(await plans.of(run, row.stage), row.index);
        // The task after it was measured when its values were calibration state.
        if (task) ends.unshift({ row, task, outcome: row.outcome });
        id = row.upstream_id;
      }
      await keep(ends);
    },

    /** Stores the tasks of a target after a failed one as skipped, with the reason. @returns how many. */
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
        const task = plans.task(plan, index);
        if (!task) return [];
        const position = {
          run,
          stage: failed.stage,
          target: failed.qid,
          index,
          task_id: derivedId(failed.task_id, `skipped ${index}`),
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
