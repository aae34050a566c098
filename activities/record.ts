import { ApplicationFailure } from '@temporalio/common';
import type { FlowCommandDocument } from '../shared/domain/executions/model.ts';
import type { TaskResultDocument } from '../shared/domain/results/model.ts';
import type { MeasuredPass } from '../shared/domain/runs/index.ts';
import type { HeldRun } from '../shared/domain/runs/run-model.ts';
import { failureTypes } from '../shared/kernel/engine/failure-types.ts';
import { messageOf } from '../shared/kernel/errors.ts';
import { derivedId } from '../shared/kernel/ids.ts';
import { couplingEnds } from '../shared/tasks/coupling-roles.ts';
import { MOST_PASSES, runOfNextPass } from '../shared/tasks/measuring-again.ts';
import type { CalibrationActivities, FinishedMeasurement, RecordInput, RecordOutput } from './contract.ts';
import { createApplier } from './record/applying.ts';
import type { RecordDependencies } from './record/dependencies.ts';
import { createMuxSharing } from './record/mux-sharing.ts';
import { outcomeOf, withoutState } from './record/outcome.ts';
import { createPlans, isPersisted, type Task, targetKind } from './record/plans.ts';
import {
  inputsOf,
  type KnownTarget,
  measureRequestOf,
  missingInputsAhead,
  newTaskRow,
  nextPassOf,
  type ResolvedInputs,
  resolveInputs,
} from './record/preparing.ts';

/** A row that has come to its end, as far as the rest of its target needs to know it. */
type EndedRow = Pick<
  TaskResultDocument,
  'status' | 'message' | 'task_id' | 'name' | 'cooldown_id' | 'qid' | 'index' | 'stage' | 'goes_on'
>;

/** A row whose task measures once more, with the run parameters that it has now. */
interface NextPass {
  nextPass: TaskResultDocument;
}

/** A target about to be measured: its row is stored. */
interface Prepared {
  row: TaskResultDocument;
  inputs: ResolvedInputs;
}

/**
 * The record keeper of targets: closes the measurement just made and prepares the next one.
 *
 * Safe to run twice. The outcome goes on the task's row first (still `running`), then calibration state,
 * daily history and provenance, each keyed by the task, and the end status last; end states never change.
 */
export function createRecordActivities(
  dependencies: RecordDependencies,
): Pick<CalibrationActivities, 'record' | 'recordTogether'> {
  const { areas, files, log } = dependencies;
  const { results } = areas;
  const { state } = areas.chips;
  const plans = createPlans(dependencies);
  const shareMux = createMuxSharing(dependencies);
  const { apply, checkHolder, skipRest } = createApplier(dependencies, plans);

  /** Targets of a shared measurement have rows of their own, under ids that follow from the measurement's. */
  const rowId = (task: Task, taskId: string, target: string) =>
    task.planned.scope === 'target' ? taskId : derivedId(taskId, target);

  /** Calibration state of a task's target, null where the task has none. */
  async function stateOf(run: HeldRun, definition: Task['definition'], target: string) {
    const kind = targetKind(definition);
    return kind === null ? null : state.read(run.project_id, run.chip_id, kind, target);
  }

  /** What a task may read of its target, null where there is no such target: of a coupling its qubits' values too. */
  async function knownOf(
    run: HeldRun,
    definition: Task['definition'],
    target: string,
  ): Promise<KnownTarget | null> {
    const ends = definition.taskType === 'coupling' ? couplingEnds(target) : null;
    const qubit = (qid: string) => state.read(run.project_id, run.chip_id, 'qubit', qid);
    const [own, control, other] = await Promise.all([
      stateOf(run, definition, target),
      ends && qubit(ends.control),
      ends && qubit(ends.target),
    ]);
    return own && { ...own, ...(control && { control }), ...(other && { target: other }) };
  }

  /** A measurement that was given up, because its workers died, may have been answered before they did. */
  async function notLost(
    run: HeldRun,
    measured: MeasuredPass,
    givenUp: FinishedMeasurement,
  ): Promise<FinishedMeasurement> {
    const kept = await areas.runs.keptAnswers.read(run, measured);
    return { ...givenUp, ...kept };
  }

  /**
   * Brings a running row to its end, or to its next pass.
   * @param passId of the next pass where there may be one
   * @returns the row as it ended
   */
  async function close(
    run: HeldRun,
    task: Task,
    { target, taskId, passId }: { target: string; taskId: string; passId: string | null },
    came: FinishedMeasurement | null,
  ): Promise<EndedRow | NextPass> {
    const { definition } = task;
    const [row, calibrated] = await Promise.all([
      results.get(run.project_id, taskId),
      stateOf(run, definition, target),
    ]);
    if (!row)
      throw ApplicationFailure.nonRetryable('The task result is not stored.', failureTypes.notStartable);
    if (row.status !== 'running') return row;
    const passes = row.passes ?? [];
    // This very step was carried out before: its answer was lost, or it comes from an attempt that was given up.
    if (passes.some(({ id }) => id === passId)) return { nextPass: row };
    if (came?.pass !== undefined && came.pass !== passes.length + 1) return row;
    let pending: TaskResultDocument | null = row;
    if (row.outcome) await checkHolder(run);
    else {
      const finished = came?.failure
        ? await notLost(run, { task_id: came.task_id, pass: passes.length + 1 }, came)
        : came;
      const hasTime = row.deadline !== null && row.deadline.getTime() > Date.now();
      const found = await outcomeOf(dependencies, {
        run,
        row,
        definition,
        target: calibrated,
        finished,
        mayMeasureAgain: passId !== null && passes.length + 1 < MOST_PASSES && hasTime,
      });
      if ('again' in found && passId !== null) {
        const { again, rawData, doubted } = found;
        const pass = {
          id: passId,
          reason: again.reason,
          raw_data_path: rawData,
          ...(doubted && { doubted }),
        };
        const settings = runOfNextPass(row.run_parameters, again);
        const [nextPass] = await Promise.all([
          results.addPass(run.project_id, row.task_id, pass, settings),
          checkHolder(run),
        ]);
        return nextPass ? { nextPass } : ((await results.get(run.project_id, row.task_id)) ?? row);
      }
      if (!('outcome' in found)) return row;
      const outcome = isPersisted(task) ? found.outcome : withoutState(found.outcome);
      [pending] = await Promise.all([
        results.setOutcome(row, outcome, finished?.attempt ?? 1),
        checkHolder(run),
      ]);
    }
    if (!pending?.outcome) {
      if (pending?.passes?.some(({ id }) => id === passId)) return { nextPass: pending };
      return (await results.get(run.project_id, row.task_id)) ?? row;
    }
    await apply(run, pending, task, pending.outcome);
    const { status, message, goes_on } = pending.outcome;
    return { ...pending, status, message, ...(goes_on && { goes_on }) };
  }

  /** Creates the rows of a task; a target without its inputs fails here, before hardware. */
  async function prepare(
    input: RecordInput,
    plan: FlowCommandDocument,
    task: Task,
    next: { targets: readonly string[]; index: number; taskId: string; upstreamId: string },
  ): Promise<{ prepared: Prepared[]; failed: TaskResultDocument[]; repeated: boolean }> {
    const { run, stage } = input;
    const { definition } = task;
    const { targets, index, taskId, upstreamId } = next;
    // A list may begin with a task of the boxes, which reads no state, and still need some further on.
    const reader =
      [task, ...plans.tasks(plan)].find((each) => targetKind(each.definition) !== null)?.definition ??
      definition;
    const [before, calibrated, upstreams, cooldown] = await Promise.all([
      Promise.all(
        targets.map((target) =>
          input.again ? results.get(run.project_id, rowId(task, taskId, target)) : null,
        ),
      ),
      Promise.all(targets.map((target) => knownOf(run, reader, target))),
      // After a shared task or a pause of the chain only the store knows what a target ran last.
      Promise.all(
        targets.map((target) => upstreamId || results.lastOf(run.project_id, run.execution_id, target)),
      ),
      state.currentCooldown(run.project_id, run.chip_id),
      checkHolder(run),
    ]);
    const at = new Date();
    // Whether some of what was prepared before is still to be measured.
    const isUnderWay = before.some((row) => !row || row.status === 'running');
    const prepared: Prepared[] = [];
    const failed: TaskResultDocument[] = [];
    for (const [position, target] of targets.entries()) {
      const task_id = rowId(task, taskId, target);
      const stored = before[position];
      if (stored) {
        // Its values are those of then, which the task itself may have changed since.
        if (isUnderWay && stored.status === 'failed') failed.push(stored);
        else prepared.push({ row: stored, inputs: inputsOf(stored) });
        continue;
      }
      const known = calibrated[position] ?? { qid: target, data: {} };
      const inputs = resolveInputs(task, known);
      // At the start of its list a target is asked for all that the list will need: nothing is measured in vain.
      const unknown =
        calibrated[position] === null && targetKind(definition) !== null
          ? `The chip has no ${definition.taskType} ${target}.`
          : null;
      const inVain = unknown ?? (index === 0 ? missingInputsAhead(plans.tasks(plan), known) : null);
      const problem = inVain ?? inputs.problem;
      const goes_on = inVain === null && definition.goesOnWhenRefused;
      const row: TaskResultDocument = {
        ...newTaskRow(
          { run, stage, target, index, task_id, upstream_id: upstreams[position] ?? '' },
          task,
          cooldown,
          at,
        ),
        input_parameters: inputs.parameters,
        used_entities: inputs.used,
      };
      if (problem === null) {
        const deadline = new Date(at.getTime() + definition.timeout * 1000);
        prepared.push({ row: { ...row, deadline }, inputs });
      } else {
        const end = { status: 'failed', message: problem, end_at: at, elapsed_time: 0 } as const;
        failed.push({ ...row, ...end, ...(goes_on && { goes_on }) });
      }
    }
    const missing = [...prepared.map(({ row }) => row), ...failed].filter((row) => !before.includes(row));
    const created = await results.createMany(missing);
    // The engine tells of nothing that was done before when people reset a run; another attempt may be quicker, too.
    if (created < missing.length && input.again !== undefined) {
      return prepare({ ...input, again: true }, plan, task, next);
    }
    return { prepared, failed, repeated: missing.length < targets.length };
  }

  async function skipAll(
    run: HeldRun,
    plan: FlowCommandDocument,
    failed: readonly EndedRow[],
  ): Promise<number> {
    const skipped = await Promise.all(failed.map((row) => skipRest(run, plan, row)));
    return skipped.reduce((sum, count) => sum + count, 0);
  }

  const activities: Pick<CalibrationActivities, 'record' | 'recordTogether'> = {
    async recordTogether({ steps }) {
      const recorded = steps.map(async (step) => {
        try {
          return await activities.record(step);
        } catch (thrown) {
          const { execution_id } = step.run;
          log.warn({ execution_id, targets: step.targets, error: messageOf(thrown) }, 'not recorded yet');
          return null;
        }
      });
      return { recorded: await Promise.all(recorded) };
    },

    async record(input) {
      const { run, finished, next_task_id } = input;
      const plan = await plans.of(run, input.stage);
      const output: RecordOutput = {
        completed: 0,
        failed: 0,
        skipped: 0,
        passed: input.targets,
        index: input.index,
        next: null,
      };

      async function end(rows: readonly EndedRow[]): Promise<void> {
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

      let upstream = '';
      if (finished) {
        const task = plans.task(plan, output.index);
        if (!task)
          throw ApplicationFailure.nonRetryable('The plan has no such task.', failureTypes.notStartable);
        // Targets that share a measurement would all have to measure again.
        const passId = task.planned.scope === 'target' ? next_task_id : null;
        const closed = await Promise.all(
          input.targets.map((target) =>
            close(run, task, { target, taskId: rowId(task, finished.task_id, target), passId }, finished),
          ),
        );
        const rows: EndedRow[] = [];
        for (const each of closed) {
          if ('nextPass' in each) {
            const directory = await files.rawDataDirectory(run);
            output.next = nextPassOf(run, task, { row: each.nextPass, directory });
            return output;
          }
          rows.push(each);
        }
        await end(rows);
        output.index += 1;
        upstream = rows[0]?.task_id ?? '';
      }
      if (next_task_id === null || (finished && input.goes_on === false)) return output;
      for (let step = 0; output.passed.length > 0; step += 1) {
        const task = plans.task(plan, output.index);
        if (!task) return output;
        // A task shared with other targets is prepared on its own, when all of them have come there.
        if (task.planned.scope !== 'target' && (finished || step > 0)) return output;
        const taskId = step === 0 ? next_task_id : derivedId(next_task_id, `computed ${step}`);
        if (task.planned.scope === 'mux') {
          const sharing = await shareMux(plan, {
            run,
            stage: input.stage,
            index: output.index,
            targets: output.passed,
            rowId: (target) => rowId(task, taskId, target),
          });
          if ('passed' in sharing) return { ...output, passed: sharing.passed, index: output.index + 1 };
          output.passed = sharing.measured;
        }
        const { prepared, failed, repeated } = await prepare(input, plan, task, {
          targets: output.passed,
          index: output.index,
          taskId,
          upstreamId: upstream,
        });
        await end(failed);
        if (prepared.length === 0) {
          if (output.passed.length === 0) return output;
          output.index += 1;
          if (task.definition.kind === 'measured') return output;
          upstream = taskId;
          continue;
        }
        if (task.definition.kind === 'measured') {
          const directory = await files.rawDataDirectory(run);
          const [first] = prepared;
          const next = first?.row.passes?.length
            ? nextPassOf(run, task, { row: first.row, directory })
            : {
                request: measureRequestOf(run, task, { taskId, prepared, directory }),
                timeout: task.definition.timeout,
              };
          const known = prepared.every(({ row }) => row.outcome || row.status !== 'running');
          output.next = { ...next, ...(repeated && { repeated }), ...(known && { known }) };
          return output;
        }
        const closed = await Promise.all(
          prepared.map(({ row }) =>
            close(run, task, { target: row.qid, taskId: row.task_id, passId: null }, null),
          ),
        );
        await end(closed.flatMap((each) => ('nextPass' in each ? [] : [each])));
        output.index += 1;
        upstream = taskId;
      }
      return output;
    },
  };
  return activities;
}
