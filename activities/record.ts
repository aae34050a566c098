import { ApplicationFailure } from '@temporalio/common';
import type { CalibratedTarget } from '../shared/domain/chips/index.ts';
import type { FlowCommandDocument } from '../shared/domain/executions/model.ts';
import type { TaskResultDocument } from '../shared/domain/results/model.ts';
import type { HeldRun } from '../shared/domain/runs/run-model.ts';
import { failureTypes } from '../shared/kernel/engine/failure-types.ts';
import { derivedId } from '../shared/kernel/ids.ts';
import { couplingEnds } from '../shared/tasks/coupling-roles.ts';
import { runWithinLimits } from '../shared/tasks/limited-values.ts';
import type { CalibrationActivities, RecordInput, RecordOutput } from './contract.ts';
import { createApplier } from './record/applying.ts';
import { byPass, createClosing, type EndedRow, rowId, stateOf } from './record/closing.ts';
import type { RecordDependencies } from './record/dependencies.ts';
import { createFreshRows, type FreshRow } from './record/fresh-rows.ts';
import { createMuxSharing } from './record/mux-sharing.ts';
import { createPlans, type Task, targetKind } from './record/plans.ts';
import {
  inputsOf,
  type KnownTarget,
  measurementOf,
  missingInputsAhead,
  newTaskRow,
  type ResolvedInputs,
  resolveInputs,
} from './record/preparing.ts';

/** The task to prepare next. */
interface Next {
  targets: readonly string[];
  index: number;
  taskId: string;
  upstreamId: string;
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
): Pick<CalibrationActivities, 'record'> {
  const { areas, files } = dependencies;
  const { results } = areas;
  const { state } = areas.chips;
  const plans = createPlans(dependencies);
  const shareMux = createMuxSharing(dependencies);
  const applier = createApplier(dependencies, plans);
  const { checkHolder, skipRest } = applier;
  const freshRows = createFreshRows();
  const { close, closeAll } = createClosing(dependencies, applier, freshRows);

  /** What a task may read of its target, null where there is no such target: of a coupling its qubits' values too. */
  async function knownOf(
    run: HeldRun,
    definition: Task['definition'],
    target: string,
  ): Promise<(KnownTarget & CalibratedTarget) | null> {
    const ends = definition.taskType === 'coupling' ? couplingEnds(target) : null;
    const qubit = (qid: string) => state.read(run.project_id, run.chip_id, 'qubit', qid);
    const [own, control, other] = await Promise.all([
      stateOf(state, { run, definition, target }),
      ends && qubit(ends.control),
      ends && qubit(ends.target),
    ]);
    return own && { ...own, ...(control && { control }), ...(other && { target: other }) };
  }

  /** What the rows of a task are made from. */
  async function readFor(
    { run, again }: RecordInput,
    plan: FlowCommandDocument,
    task: Task,
    { targets, taskId, upstreamId }: Next,
  ) {
    const begun = performance.now();
    // A list may begin with a task of the boxes, which reads no state, and still need some further on.
    const reader =
      [task, ...plans.tasks(plan)].find((each) => targetKind(each.definition) !== null)?.definition ??
      task.definition;
    const [before, calibrated, upstreams, cooldown] = await Promise.all([
      Promise.all(
        targets.map((target) => (again ? results.get(run.project_id, rowId(task, taskId, target)) : null)),
      ),
      Promise.all(targets.map((target) => knownOf(run, reader, target))),
      // After a shared task or a pause of the chain only the store knows what a target ran last.
      Promise.all(
        targets.map((target) => upstreamId || results.lastOf(run.project_id, run.execution_id, target)),
      ),
      state.currentCooldown(run.project_id, run.chip_id),
      checkHolder(run),
    ]);
    return { begun, before, calibrated, upstreams, cooldown };
  }

  type Reading = ReturnType<typeof readFor>;

  /** The same for the task after one whose target is written, while the rest of that is being recorded. */
  function readAhead(
    input: RecordInput,
    plan: FlowCommandDocument,
    ended: Task,
    nextId: string | null,
  ): Reading | undefined {
    const index = input.index + 1;
    const task = plans.task(plan, index);
    const [target, ...others] = input.targets;
    const isLast = nextId === null || input.goes_on === false;
    if (isLast || task?.planned.scope !== 'target' || target === undefined || others.length > 0) {
      return undefined;
    }
    const upstreamId = rowId(ended, input.finished?.task_id ?? '', target);
    const reading = readFor(input, plan, task, { targets: [target], index, taskId: nextId, upstreamId });
    // Nobody waits for it where the record fails before.
    reading.catch(() => undefined);
    return reading;
  }

  /** Creates the rows of a task; a target without its inputs fails here, before hardware. */
  async function prepare(
    input: RecordInput,
    plan: FlowCommandDocument,
    task: Task,
    next: Next & { ahead?: Reading | undefined },
  ): Promise<{ prepared: Prepared[]; failed: TaskResultDocument[]; repeated: boolean }> {
    const { run, stage } = input;
    const { definition } = task;
    const { targets, index, taskId } = next;
    const { begun, before, calibrated, upstreams, cooldown } = await (next.ahead ??
      readFor(input, plan, task, next));
    const at = new Date();
    // Whether some of what was prepared before is still to be measured.
    const isUnderWay = before.some((row) => !row || row.status === 'running');
    const prepared: Prepared[] = [];
    const failed: TaskResultDocument[] = [];
    const fresh: FreshRow[] = [];
    const hasState = targetKind(definition) !== null;
    for (const [position, target] of targets.entries()) {
      const task_id = rowId(task, taskId, target);
      const stored = before[position];
      if (stored) {
        // Its values are those of then, which the task itself may have changed since. Who goes on is told with the others.
        if (isUnderWay && stored.status === 'failed' && !stored.goes_on) failed.push(stored);
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
        const run_parameters = runWithinLimits(definition, row.run_parameters, inputs.values).run;
        const made = { ...row, run_parameters, deadline };
        prepared.push({ row: made, inputs });
        fresh.push({ row: made, calibrated: hasState ? (calibrated[position] ?? null) : null, begun });
      } else {
        const end = { status: 'failed', message: problem, end_at: at, elapsed_time: 0 } as const;
        failed.push({ ...row, ...end, ...(goes_on && { goes_on }) });
      }
    }
    const missing = [...prepared.map(({ row }) => row), ...failed].filter((row) => !before.includes(row));
    const created = await results.createMany(missing);
    // The engine tells of nothing that was done before when people reset a run; another attempt may be quicker, too.
    if (created < missing.length && input.again !== undefined) {
      return prepare({ ...input, again: true }, plan, task, { ...next, ahead: undefined });
    }
    if (created === missing.length) for (const each of fresh) freshRows.keep(each);
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

  return {
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

      let upstream = input.upstream_id ?? '';
      const nextId = next_task_id && ((finished && input.following_id) ?? next_task_id);
      let ahead: Reading | undefined;
      if (finished) {
        const task = plans.task(plan, output.index);
        if (!task)
          throw ApplicationFailure.nonRetryable('The plan has no such task.', failureTypes.notStartable);
        const { ended, nextPass } = await closeAll(run, task, {
          ...{ targets: input.targets, finished, passId: next_task_id },
          onState: () => {
            ahead = readAhead(input, plan, task, nextId);
          },
        });
        await end(ended);
        if (nextPass.length > 0) {
          const directory = await files.rawDataDirectory(run);
          output.next = measurementOf(run, task, { taskId: finished.task_id, rows: nextPass, directory });
          return output;
        }
        output.index += 1;
        upstream = ended[0]?.task_id ?? '';
      }
      if (nextId === null || (finished && input.goes_on === false)) return output;
      if (input.begun_only && !(await results.get(run.project_id, nextId))) return output;
      for (let step = 0; output.passed.length > 0; step += 1) {
        const task = plans.task(plan, output.index);
        if (!task) return output;
        // A task shared with other targets is prepared on its own, when all of them have come there.
        if (task.planned.scope !== 'target' && (finished || step > 0)) return output;
        const taskId = step === 0 ? nextId : derivedId(nextId, `computed ${step}`);
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
          ahead: step === 0 ? ahead : undefined,
        });
        // Closing a measurement tells of all targets that go on, also of those that were not measured.
        const isClosing = task.definition.kind === 'measured' && prepared.length > 0;
        await end(failed.filter(({ goes_on }) => !(isClosing && goes_on)));
        if (prepared.length === 0) {
          if (output.passed.length === 0) return output;
          output.index += 1;
          if (task.definition.kind === 'measured') return output;
          upstream = taskId;
          continue;
        }
        if (task.definition.kind === 'measured') {
          const directory = await files.rawDataDirectory(run);
          const { earlier, now } = byPass(prepared.map(({ row }) => row));
          await end(earlier);
          const next = measurementOf(run, task, { taskId, rows: now, directory });
          output.next = { ...next, ...(repeated && { repeated }) };
          return output;
        }
        const closed = await Promise.all(
          prepared.map(({ row }) =>
            close(run, task, { target: row.qid, taskId: row.task_id, passId: null }, null),
          ),
        );
        await end(closed.flatMap((each) => ('nextPass' in each || 'wish' in each ? [] : [each])));
        output.index += 1;
        upstream = taskId;
      }
      return output;
    },
  };
}
