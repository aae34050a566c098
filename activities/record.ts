import { ApplicationFailure } from '@temporalio/common';
import { ANALYSIS_FILE_LIMIT } from '../shared/domain/backends/answer-rules.ts';
import type { FlowCommandDocument } from '../shared/domain/executions/model.ts';
import type { TaskResultDocument } from '../shared/domain/results/model.ts';
import type { HeldRun } from '../shared/domain/runs/run-model.ts';
import { failureTypes } from '../shared/kernel/engine/failure-types.ts';
import { messageOf } from '../shared/kernel/errors.ts';
import { keyOf, NO_TASK, type TaskId, userIdSchema } from '../shared/kernel/ids.ts';
import type { CalibrationActivities } from './contracts/runs.ts';
import type { FinishedMeasurement, RecordInput, RecordOutput } from './contracts/steps.ts';
import { missingTaskSentence } from './missing-task.ts';
import { createApplier, type TaskEnd } from './record/applying.ts';
import { createClosing, type EndedRow } from './record/closing.ts';
import { createClosingTogether } from './record/closing-together.ts';
import type { RecordDependencies } from './record/dependencies.ts';
import { createFreshRows } from './record/fresh-rows.ts';
import { createMuxSharing } from './record/mux-sharing.ts';
import type { Task } from './record/plans.ts';
import { measurementOf } from './record/preparing.ts';
import { createRowMaking, type PrefetchedRow } from './record/row-making.ts';
import { byPass } from './record/row-passes.ts';
import { rowId } from './record/target-rows.ts';
import { passIdAt, taskIdAt } from './record/task-ids.ts';

const MIB = 1024 * 1024;

/** A step in progress: its output so far, and the pending writes of ended tasks. */
interface Step {
  input: RecordInput;
  plan: FlowCommandDocument;
  output: RecordOutput;
  rest: readonly TaskEnd[];
}

/** State of a target after the measured task: either another pass follows or the task has ended. */
type AfterClosing = { isOver: false } | { isOver: true; upstreamId: TaskId; nextRow?: NextRow | undefined };

/** Returns the row of the next task, which is being created. */
type NextRow = () => ReturnType<PrefetchedRow['settle']>;

/**
 * The record keeper of targets: the activity `record`, with one branch for each kind of {@link RecordInput}.
 *
 * Every step is safe to repeat. The outcome is written to the task's row first (still `running`), then to calibration state,
 * daily history and provenance, each keyed by the task. The end status is written last and never changes. The next
 * measurement of a target waits only for the outcome and the state; its row is created while the state is written.
 */
export function createRecordActivities(
  dependencies: RecordDependencies,
): Pick<CalibrationActivities, 'record'> {
  const { areas, files, plans, trailing, keptResults, heartbeatTimeout, log } = dependencies;
  const shareMux = createMuxSharing(dependencies);
  const applier = createApplier(dependencies);
  const freshRows = createFreshRows();
  const { close } = createClosing(dependencies, applier, freshRows);
  const { closeAll } = createClosingTogether(dependencies, applier, { close });
  const { prefetchRow, prepare } = createRowMaking(dependencies, applier, freshRows);

  async function skipAll(
    run: HeldRun,
    plan: FlowCommandDocument,
    failed: readonly EndedRow[],
  ): Promise<number> {
    const skipped = await Promise.all(failed.map((row) => applier.skipRest(run, plan, row)));
    return skipped.reduce((sum, count) => sum + count, 0);
  }

  /** Counts ended rows, and skips the tasks after failed ones. */
  async function count({ input: { run }, plan, output }: Step, rows: readonly EndedRow[]): Promise<void> {
    const completed = rows.filter((row) => row.status === 'completed');
    // A row that was cancelled meanwhile belongs to an ended run, so its following tasks are not skipped.
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

  /** The measurement request for rows that are in the same pass. */
  async function requestFor(
    { input: { run } }: Step,
    task: Task,
    { taskId, rows }: { taskId: TaskId; rows: readonly TaskResultDocument[] },
  ): Promise<RecordOutput['next']> {
    const shortage = await areas.diskSpace.shortage();
    const directory = await files.makeMeasurementDirectory(run, taskId);
    const measurement = measurementOf(run, task, { taskId, rows, directory });
    const upload_token = await areas.measurementUploads.tokenOf({
      project_id: run.project_id,
      task_id: taskId,
      rows: rows.map((row) => row.task_id),
      share_user_id: userIdSchema.parse(run.share_user_id ?? run.user_id),
    });
    const raw_data_limit = dependencies.settings.RAW_DATA_MIB * MIB;
    const limits = { raw_data_limit, analysis_limit: ANALYSIS_FILE_LIMIT };
    const request = { ...measurement.request, upload_token, ...limits };
    return {
      ...measurement,
      request,
      heartbeat_timeout: await heartbeatTimeout(run.backend, task.definition.name),
      ...(shortage === null ? {} : { shortage }),
    };
  }

  /** Closes the measured task. If this step also prepares the next task, it starts creating that row. */
  async function closeMeasured(step: Step, finished: FinishedMeasurement): Promise<AfterClosing> {
    const { input, plan, output } = step;
    const { run, stage, targets, index } = input;
    const task = plans.task(plan, index);
    if (!task) throw ApplicationFailure.nonRetryable('The plan has no such task.', failureTypes.notStartable);
    const { ended, nextPass, rest, nextRow } = await closeAll(run, task, {
      targets,
      finished,
      // An abandoned measurement requests no further pass, regardless of the pass of its targets.
      passId: input.step === 'finish' || finished.given_up ? null : passIdAt(input, finished.pass + 1),
      prefetch:
        input.step === 'finish_and_continue'
          ? () => prefetchRow({ run, stage, plan, task, targets, index })
          : undefined,
    });
    if (nextRow) step.rest = rest;
    else await applier.keep(rest);
    await count(step, ended);
    if (nextPass.length > 0) {
      output.next = await requestFor(step, task, { taskId: finished.task_id, rows: nextPass });
      return { isOver: false };
    }
    output.index += 1;
    return { isOver: true, upstreamId: ended[0]?.task_id ?? NO_TASK, nextRow };
  }

  /**
   * Whether a multiplexer task must be measured. If an earlier step of the schedule has measured it for these targets, the
   * ones that passed continue.
   */
  async function isToBeMeasured({ input, plan, output }: Step, task: Task, taskId: TaskId): Promise<boolean> {
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

  /** Closes rows that need no measurement: they are computed from their inputs, or already have an outcome. */
  async function closeUnmeasured(step: Step, task: Task, rows: readonly TaskResultDocument[]): Promise<void> {
    // The preceding tasks must end first.
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

  /** Advances to the next task that is measured. Computed tasks before it are computed here. */
  async function prepareNext(
    step: Step,
    { upstreamId, nextRow }: Extract<AfterClosing, { isOver: true }>,
  ): Promise<void> {
    const { input, plan, output } = step;
    const { run, stage } = input;
    let upstream = upstreamId;
    for (let isFirst = true; output.passed.length > 0; isFirst = false) {
      const planned = plan.tasks[output.index];
      // A task shared with other targets is prepared by a separate step, when all of them have reached it.
      if (planned && planned.scope !== 'target' && (input.step !== 'prepare' || !isFirst)) return;
      const missing = plans.missing(plan, output.index);
      if (missing !== null) output.missing_task = { ...missing, sentence: missingTaskSentence(missing) };
      const task = plans.known(plan, output.index);
      if (!task) return;
      const place = { run, stage, targets: output.passed, index: output.index };
      const taskId = taskIdAt(place);
      if (task.planned.scope === 'mux' && !(await isToBeMeasured(step, task, taskId))) return;
      const { passed: targets, index } = output;
      const { prepared, failed } = await (isFirst && nextRow
        ? nextRow()
        : prepare({ run, stage, plan, task, targets, index, taskId, upstreamId: upstream }));
      const rows = prepared.map(({ row }) => row);
      const isMeasured = task.definition.kind === 'measured';
      const { earlier, now } = byPass(rows);
      const open = isMeasured ? now.filter((row) => row.status === 'running' && !row.outcome) : [];
      // Failed targets that continue are counted by the step that closes the measurement, not here.
      await count(
        step,
        failed.filter(({ goes_on }) => !(open.length > 0 && goes_on)),
      );
      if (open.length > 0) {
        await count(step, earlier);
        output.next = await requestFor(step, task, { taskId, rows: now });
        if (nextRow && isFirst)
          freshRows.follow(keyOf(run.project_id, taskId), trailing.follow(takeRest(step), applier.keep));
        return;
      }
      if (rows.length > 0) await closeUnmeasured(step, task, rows);
      else if (output.passed.length === 0) return;
      output.index += 1;
      if (isMeasured) return;
      upstream = taskId;
    }
  }

  async function carryOut(step: Step): Promise<void> {
    const { input } = step;
    if (input.step === 'prepare') return prepareNext(step, { isOver: true, upstreamId: NO_TASK });
    const closed = await closeMeasured(step, input.finished);
    if (input.step === 'finish_and_continue' && closed.isOver) await prepareNext(step, closed);
  }

  /** Drops the worker's copy of a recorded result. */
  function dropKept({ run, ...input }: RecordInput): void {
    if (input.step === 'prepare') return;
    void keptResults.drop(run, input.finished).catch((thrown: unknown) => {
      log.warn({ execution_id: run.execution_id, error: messageOf(thrown) }, 'a kept result is left over');
    });
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
      await applier.keep(step.rest);
      dropKept(input);
      return step.output;
    },
  };
}

/** Removes and returns the pending writes, so that they are made only once. */
function takeRest(step: Step): Step['rest'] {
  const { rest } = step;
  step.rest = [];
  return rest;
}
