import { ApplicationFailure } from '@temporalio/common';
import type { FlowCommandDocument } from '../shared/domain/executions/model.ts';
import type { TaskResultDocument } from '../shared/domain/results/model.ts';
import type { HeldRun } from '../shared/domain/runs/run-model.ts';
import { failureTypes } from '../shared/kernel/engine/failure-types.ts';
import { derivedId, keyOf } from '../shared/kernel/ids.ts';
import type { CalibrationActivities, RecordInput, RecordOutput } from './contract.ts';
import { createApplier, type Progress, type TaskEnd } from './record/applying.ts';
import { byPass, createClosing, type EndedRow, rowId } from './record/closing.ts';
import type { RecordDependencies } from './record/dependencies.ts';
import { createFreshRows } from './record/fresh-rows.ts';
import { createMuxSharing } from './record/mux-sharing.ts';
import type { Task } from './record/plans.ts';
import { measurementOf } from './record/preparing.ts';
import { createRowMaking, type RowAhead } from './record/row-making.ts';

/** A step under way: what it has come to, and what of tasks that ended is still to be written. */
interface Step {
  input: RecordInput;
  plan: FlowCommandDocument;
  output: RecordOutput;
  rest: readonly TaskEnd[];
}

/** How the task that was measured ended: with another pass of it, or where its target stands then. */
type Closed = { isOver: false } | { isOver: true; upstreamId: string; ahead?: NextRow | undefined };

/** The row of the next task, which is being made. */
type NextRow = () => ReturnType<RowAhead['settle']>;

/**
 * The record keeper of targets: closes the measurement just made and prepares the next one.
 *
 * Safe to run twice. The outcome goes on the task's row first (still `running`), then calibration state,
 * daily history and provenance, each keyed by the task, and the end status last; end states never change. Where a target
 * goes on, its next measurement waits for the outcome and the state alone, and its row is made while the state is written.
 */
export function createRecordActivities(
  dependencies: RecordDependencies,
): Pick<CalibrationActivities, 'record'> {
  const { areas, files, plans, trailing } = dependencies;
  const { results } = areas;
  const shareMux = createMuxSharing(dependencies);
  const applier = createApplier(dependencies);
  const freshRows = createFreshRows();
  const { close, closeAll } = createClosing(dependencies, applier, freshRows);
  const { rowAhead, prepare } = createRowMaking(dependencies, applier, freshRows);

  async function skipAll(
    run: HeldRun,
    plan: FlowCommandDocument,
    failed: readonly EndedRow[],
  ): Promise<number> {
    const skipped = await Promise.all(failed.map((row) => applier.skipRest(run, plan, row)));
    return skipped.reduce((sum, count) => sum + count, 0);
  }

  /** Counts rows that have ended, and skips what comes after those that failed. */
  async function count({ input: { run }, plan, output }: Step, rows: readonly EndedRow[]): Promise<void> {
    const completed = rows.filter((row) => row.status === 'completed');
    // A row that was cancelled meanwhile belongs to a run that has ended: nothing of it is skipped.
    const failed = rows.filter((row) => row.status === 'failed');
    output.completed += completed.length;
    output.failed += failed.length;
    output.skipped += await skipAll(
      run,
      plan,
      failed.filter((row) => !row.goes_on),
    );
    const gone = new Set(
      rows.filter((row) => row.status !== 'completed' && !row.goes_on).map((row) => row.qid),
    );
    output.passed = output.passed.filter((target) => !gone.has(target));
  }

  /** Closes the task that was measured. What is still to be written of it is left where its target is measured next. */
  async function closeMeasured(
    step: Step,
    finished: NonNullable<RecordInput['finished']>,
    nextId: string | null,
  ): Promise<Closed> {
    const { input, plan, output } = step;
    const { run, targets, next_task_id: passId } = input;
    const task = plans.task(plan, output.index);
    if (!task) throw ApplicationFailure.nonRetryable('The plan has no such task.', failureTypes.notStartable);
    let row: RowAhead | undefined;
    let ahead: NextRow | undefined;
    const progress: Progress = {
      onOutcome() {
        row = rowAhead(input, plan, task, nextId);
      },
      onExpected: (state) => row?.make(state),
      onState(written) {
        const begun = row;
        ahead = begun && (() => begun.settle(written));
      },
    };
    const { ended, nextPass, rest } = await closeAll(run, task, { targets, finished, passId, progress });
    if (ahead) step.rest = rest;
    else await applier.keep(rest);
    await count(step, ended);
    if (nextPass.length > 0) {
      const directory = await files.rawDataDirectory(run);
      output.next = measurementOf(run, task, { taskId: finished.task_id, rows: nextPass, directory });
      return { isOver: false };
    }
    output.index += 1;
    return { isOver: true, upstreamId: ended[0]?.task_id ?? '', ahead };
  }

  /** @returns whether a task of multiplexers is to be measured: where others did so for these, those who passed it go on. */
  async function isToBeMeasured({ input, plan, output }: Step, task: Task, taskId: string): Promise<boolean> {
    const sharing = await shareMux(plan, {
      run: input.run,
      stage: input.stage,
      index: output.index,
      targets: output.passed,
      rowId: (target) => rowId(task, taskId, target),
    });
    const isMeasured = 'measured' in sharing;
    output.passed = isMeasured ? sharing.measured : sharing.passed;
    if (!isMeasured) output.index += 1;
    return isMeasured;
  }

  /** Brings the tasks that are computed here to their end. */
  async function compute(step: Step, task: Task, rows: readonly TaskResultDocument[]): Promise<void> {
    // The tasks before these end first.
    await applier.keep(takeRest(step));
    const closed = await Promise.all(
      rows.map((row) =>
        close(step.input.run, task, { target: row.qid, taskId: row.task_id, passId: null }, null),
      ),
    );
    const ended = closed.flatMap((each) => ('ended' in each ? [each] : []));
    await Promise.all(ended.map(({ rest }) => applier.keep(rest)));
    await count(
      step,
      ended.map((each) => each.ended),
    );
  }

  /** Goes on with the next task that is measured: those before it that are computed are computed here. */
  async function goOn(
    step: Step,
    nextId: string,
    { upstreamId, ahead }: Extract<Closed, { isOver: true }>,
  ): Promise<void> {
    const { input, plan, output } = step;
    let upstream = upstreamId;
    for (let number = 0; output.passed.length > 0; number += 1) {
      const task = plans.task(plan, output.index);
      if (!task) return;
      // A task shared with other targets is prepared on its own, when all of them have come there.
      if (task.planned.scope !== 'target' && (input.finished || number > 0)) return;
      const isFirst = number === 0;
      const taskId = isFirst ? nextId : derivedId(nextId, `computed ${number}`);
      if (task.planned.scope === 'mux' && !(await isToBeMeasured(step, task, taskId))) return;
      const { passed: targets, index } = output;
      const asked = { ...{ input, plan, task, targets, index }, taskId, upstreamId: upstream };
      const { prepared, failed, repeated } = await (isFirst && ahead ? ahead() : prepare(asked));
      const rows = prepared.map(({ row }) => row);
      const isMeasured = task.definition.kind === 'measured';
      // Closing a measurement tells of all targets that go on, also of those that were not measured.
      const isClosing = isMeasured && rows.length > 0;
      await count(
        step,
        failed.filter(({ goes_on }) => !(isClosing && goes_on)),
      );
      if (isClosing) {
        const directory = await files.rawDataDirectory(input.run);
        const { earlier, now } = byPass(rows);
        await count(step, earlier);
        const next = measurementOf(input.run, task, { taskId, rows: now, directory });
        output.next = { ...next, ...(repeated && { repeated }) };
        if (ahead && isFirst)
          freshRows.follow(
            keyOf(input.run.project_id, taskId),
            trailing.follow(takeRest(step), applier.keep),
          );
        return;
      }
      if (rows.length > 0) await compute(step, task, rows);
      else if (output.passed.length === 0) return;
      output.index += 1;
      if (isMeasured) return;
      upstream = taskId;
    }
  }

  /** Closes what was measured, and prepares what is measured next. */
  async function carryOut(step: Step): Promise<void> {
    const { input } = step;
    const { run, finished, next_task_id } = input;
    const nextId = next_task_id && ((finished && input.following_id) ?? next_task_id);
    const closed: Closed = finished
      ? await closeMeasured(step, finished, nextId)
      : { isOver: true, upstreamId: input.upstream_id ?? '' };
    if (!closed.isOver || nextId === null || (finished && input.goes_on === false)) return;
    if (input.begun_only && !(await results.get(run.project_id, nextId))) return;
    await goOn(step, nextId, closed);
  }

  return {
    async record(input) {
      const { targets, index } = input;
      const step: Step = {
        input,
        plan: await plans.of(input.run, input.stage),
        output: { completed: 0, failed: 0, skipped: 0, passed: targets, index, next: null },
        rest: [],
      };
      await carryOut(step);
      // What trails behind was taken.
      await applier.keep(step.rest);
      return step.output;
    },
  };
}

/** What is still to be written, which nobody else writes then. */
function takeRest(step: Step): Step['rest'] {
  const { rest } = step;
  step.rest = [];
  return rest;
}
