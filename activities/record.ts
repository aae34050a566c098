import { ApplicationFailure } from '@temporalio/common';
import type { CalibratedTarget } from '../shared/domain/chips/index.ts';
import type { FlowCommandDocument } from '../shared/domain/executions/model.ts';
import type { TaskResultDocument } from '../shared/domain/results/model.ts';
import type { HeldRun } from '../shared/domain/runs/run-model.ts';
import { failureTypes } from '../shared/kernel/engine/failure-types.ts';
import { derivedId, keyOf } from '../shared/kernel/ids.ts';
import { couplingEnds } from '../shared/tasks/coupling-roles.ts';
import { runWithinLimits } from '../shared/tasks/limited-values.ts';
import type { CalibrationActivities, RecordInput, RecordOutput } from './contract.ts';
import { createApplier } from './record/applying.ts';
import {
  byPass,
  createClosing,
  type EndedRow,
  nothingLeft,
  type Progress,
  rowId,
  stateOf,
} from './record/closing.ts';
import type { RecordDependencies } from './record/dependencies.ts';
import { createFreshRows, type FreshRow } from './record/fresh-rows.ts';
import { createMuxSharing } from './record/mux-sharing.ts';
import { type Task, targetKind } from './record/plans.ts';
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
  /** What calibration state of its only target will be is told by the task before it. */
  isFollowing?: true;
}

/** What is still to be written of a task that ended. */
interface Left {
  rest(): Promise<void>;
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
 * daily history and provenance, each keyed by the task, and the end status last; end states never change. Where a target
 * goes on, its next measurement waits for the outcome and the state alone.
 */
export function createRecordActivities(
  dependencies: RecordDependencies,
): Pick<CalibrationActivities, 'record'> {
  const { areas, files, plans, trailing } = dependencies;
  const { results } = areas;
  const { state } = areas.chips;
  const shareMux = createMuxSharing(dependencies);
  const applier = createApplier(dependencies);
  const { checkHolder, skipRest } = applier;
  const freshRows = createFreshRows();
  const { close, closeAll } = createClosing(dependencies, applier, freshRows);

  /** What a task on a coupling may read of its qubits. */
  async function qubitsOf(
    run: HeldRun,
    definition: Task['definition'],
    target: string,
  ): Promise<Pick<KnownTarget, 'control' | 'target'>> {
    const ends = definition.taskType === 'coupling' ? couplingEnds(target) : null;
    if (!ends) return {};
    const qubit = (qid: string) => state.read(run.project_id, run.chip_id, 'qubit', qid);
    const [control, other] = await Promise.all([qubit(ends.control), qubit(ends.target)]);
    return { ...(control && { control }), ...(other && { target: other }) };
  }

  /** What the rows of a task are made from. */
  async function readFor(
    { run, again }: RecordInput,
    plan: FlowCommandDocument,
    task: Task,
    { targets, taskId, upstreamId, isFollowing }: Next,
  ) {
    const begun = performance.now();
    // A list may begin with a task of the boxes, which reads no state, and still need some further on.
    const reader =
      [task, ...plans.tasks(plan)].find((each) => targetKind(each.definition) !== null)?.definition ??
      task.definition;
    const [before, states, qubits, upstreams, cooldown] = await Promise.all([
      Promise.all(
        targets.map((target) => (again ? results.get(run.project_id, rowId(task, taskId, target)) : null)),
      ),
      Promise.all(
        targets.map((target) => (isFollowing ? null : stateOf(state, { run, definition: reader, target }))),
      ),
      Promise.all(targets.map((target) => qubitsOf(run, reader, target))),
      // After a shared task or a pause of the chain only the store knows what a target ran last.
      Promise.all(
        targets.map((target) => upstreamId || results.lastOf(run.project_id, run.execution_id, target)),
      ),
      state.currentCooldown(run.project_id, run.chip_id),
      checkHolder(run),
    ]);
    return { begun, before, states, qubits, upstreams, cooldown };
  }

  type Reading = ReturnType<typeof readFor>;

  /** The same for the task after one whose outcome is being written: what state its target has then is known. */
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
    const next: Next = { targets: [target], index, taskId: nextId, upstreamId, isFollowing: true };
    const reading = readFor(input, plan, task, next);
    // Nobody waits for it where the record fails before.
    reading.catch(() => undefined);
    return reading;
  }

  /** What was read ahead for the only target of a task, and calibration state of it as the task before has written it. */
  interface Ahead {
    reading: Reading;
    written: Readonly<CalibratedTarget>;
  }

  /** Creates the rows of a task; a target without its inputs fails here, before hardware. */
  async function prepare(
    input: RecordInput,
    plan: FlowCommandDocument,
    task: Task,
    next: Next & { ahead?: Ahead | undefined },
  ): Promise<{ prepared: Prepared[]; failed: TaskResultDocument[]; repeated: boolean }> {
    const { run, stage } = input;
    const { definition } = task;
    const { targets, index, taskId } = next;
    const { begun, before, states, qubits, upstreams, cooldown } = await (next.ahead?.reading ??
      readFor(input, plan, task, next));
    const calibrated = (next.ahead ? [next.ahead.written] : states).map(
      (own, position) => own && { ...own, ...qubits[position] },
    );
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

  /**
   * A step of record keeping. What is still to be written of the task that ended trails behind the answer where its target
   * is measured next; else it is left to the caller.
   */
  async function carryOut(input: RecordInput, left: Left): Promise<RecordOutput> {
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
    let ahead: Ahead | undefined;
    if (finished) {
      const task = plans.task(plan, output.index);
      if (!task)
        throw ApplicationFailure.nonRetryable('The plan has no such task.', failureTypes.notStartable);
      let reading: Reading | undefined;
      const progress: Progress = {
        onOutcome() {
          reading = readAhead(input, plan, task, nextId);
        },
        onState(written) {
          if (reading) ahead = { reading, written };
        },
      };
      const measured = { targets: input.targets, finished, passId: next_task_id, progress };
      const { ended, nextPass, rest } = await closeAll(run, task, measured);
      if (ahead) left.rest = rest;
      else await rest();
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
        if (ahead && step === 0)
          freshRows.follow(keyOf(run.project_id, taskId), trailing.follow(taken(left)));
        return output;
      }
      await taken(left)();
      const closed = await Promise.all(
        prepared.map(({ row }) =>
          close(run, task, { target: row.qid, taskId: row.task_id, passId: null }, null),
        ),
      );
      const computed = closed.flatMap((each) => ('ended' in each ? [each] : []));
      await Promise.all(computed.map(({ rest }) => rest()));
      await end(computed.map(({ ended }) => ended));
      output.index += 1;
      upstream = taskId;
    }
    return output;
  }

  return {
    async record(input) {
      const left: Left = { rest: nothingLeft };
      const output = await carryOut(input, left);
      await left.rest();
      return output;
    },
  };
}

/** What is left, which nobody else writes then. */
function taken(left: Left): Left['rest'] {
  const { rest } = left;
  left.rest = nothingLeft;
  return rest;
}
