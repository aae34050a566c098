import { ApplicationFailure } from '@temporalio/common';
import { OutdatedWrite } from '../shared/chips/calibration-state.ts';
import { failureTypes } from '../shared/engine/failure-types.ts';
import type { FlowStepDocument } from '../shared/executions/model.ts';
import type { HeldRun } from '../shared/executions/run.ts';
import { derivedId } from '../shared/ids.ts';
import type { TaskOutcome, TaskResultDocument } from '../shared/results/model.ts';
import type { TaskDefinition } from '../shared/tasks/model.ts';
import { calendarDay } from '../shared/time.ts';
import type { CalibrationActivities, RecordInput, RecordOutput } from './contract.ts';
import type { RecordDependencies } from './record/dependencies.ts';
import { outcomeOf } from './record/outcome.ts';
import { measureRequestOf, newTaskRow, resolveInputs } from './record/preparing.ts';

/** More tasks than any list has; orders the writes of a run: stage first, then place in the list. */
const TASKS_PER_STAGE = 100_000;
/** Plans of running stages that a worker remembers. */
const PLAN_CACHE = 64;

type Ended = Pick<RecordOutput, 'completed' | 'failed' | 'skipped'>;

/**
 * The record keeper of a target: closes the measurement just made and prepares the next one.
 *
 * Safe to run twice. The outcome goes on the task's row first (still `running`), then calibration state,
 * daily history and provenance, each keyed by the task, and the end status last; end states never change.
 */
export function createRecordActivities(
  dependencies: RecordDependencies,
): Pick<CalibrationActivities, 'record' | 'openStage' | 'closeStage'> {
  const { records, findTask, settings, files } = dependencies;
  const { results, steps, state, locks, provenance } = records;
  const plans = new Map<string, FlowStepDocument>();

  async function planOf(run: HeldRun, stage: number): Promise<FlowStepDocument> {
    const key = `${run.project_id}/${run.execution_id}/${stage}`;
    const known = plans.get(key);
    if (known) return known;
    const plan = await steps.get(run.project_id, run.execution_id, stage);
    if (!plan)
      throw ApplicationFailure.nonRetryable(`Stage ${stage} has no plan.`, failureTypes.notStartable);
    if (plans.size >= PLAN_CACHE) plans.delete(plans.keys().next().value ?? '');
    plans.set(key, plan);
    return plan;
  }

  function definitionOf(plan: FlowStepDocument, index: number): TaskDefinition | null {
    const planned = plan.tasks[index];
    const definition = planned ? findTask(planned.name) : undefined;
    if (planned && !definition) {
      throw ApplicationFailure.nonRetryable(`There is no task ${planned.name}.`, failureTypes.flow);
    }
    return definition ?? null;
  }

  /** @throws Fenced when this run does not hold the project any more. */
  async function checkHolder(run: HeldRun): Promise<void> {
    const lock = await locks.get(run.project_id);
    const held = lock?.epoch === run.epoch && lock.execution_id === run.execution_id && lock.state === 'held';
    if (!held) {
      throw ApplicationFailure.nonRetryable(
        `Execution ${run.execution_id} does not hold the project any more.`,
        failureTypes.fenced,
      );
    }
  }

  const kindOf = (definition: Pick<TaskDefinition, 'taskType'>) =>
    definition.taskType === 'coupling' ? ('coupling' as const) : ('qubit' as const);

  /** Carries an outcome from its row into calibration state, history and provenance, then ends the row. */
  async function apply(
    run: HeldRun,
    row: TaskResultDocument,
    definition: TaskDefinition,
    outcome: TaskOutcome,
  ) {
    const order = { epoch: run.epoch, sequence: row.stage * TASKS_PER_STAGE + row.index };
    const completed = outcome.status === 'completed';
    let written: Awaited<ReturnType<typeof state.write>>;
    try {
      written = await state.write(
        { project_id: run.project_id, chip_id: run.chip_id, kind: kindOf(definition), qid: row.qid },
        order,
        { status: completed ? 'completed' : 'failed', data: completed ? outcome.outputs : {} },
        { recorded_date: calendarDay(outcome.end_at, settings.TIMEZONE), cooldown_id: row.cooldown_id },
      );
    } catch (thrown) {
      if (!(thrown instanceof OutdatedWrite)) throw thrown;
      throw ApplicationFailure.nonRetryable(thrown.message, failureTypes.fenced);
    }
    const recorded = provenance.record({
      project_id: run.project_id,
      chip_id: run.chip_id,
      execution_id: run.execution_id,
      task_id: row.task_id,
      task_name: row.name,
      task_type: row.task_type,
      qid: row.qid,
      status: outcome.status,
      started_at: outcome.start_at ?? row.start_at,
      ended_at: outcome.end_at,
      outputs: Object.entries(outcome.outputs).flatMap(([parameter_name, record]) =>
        typeof record.value === 'number' || typeof record.value === 'string'
          ? [
              {
                parameter_name,
                value: record.value,
                value_type: record.value_type,
                unit: record.unit,
                error: record.error ?? null,
              },
            ]
          : [],
      ),
      used_entities: row.used_entities,
    });
    await Promise.all([written.snapshot(), recorded]);
    await results.end(row, outcome);
  }

  /** Stores the target's tasks after `index` as skipped, with the reason. */
  async function skipRest(
    run: HeldRun,
    plan: FlowStepDocument,
    failed: Pick<
      TaskResultDocument,
      'task_id' | 'name' | 'message' | 'cooldown_id' | 'qid' | 'index' | 'stage'
    >,
  ): Promise<number> {
    const at = new Date();
    const rows = plan.tasks.slice(failed.index + 1).flatMap((planned, offset): TaskResultDocument[] => {
      const index = failed.index + 1 + offset;
      const definition = definitionOf(plan, index);
      if (!definition) return [];
      const task_id = derivedId(failed.task_id, `skipped ${index}`);
      const place = {
        run,
        stage: failed.stage,
        target: failed.qid,
        index,
        task_id,
        upstream_id: failed.task_id,
      };
      return [
        {
          ...newTaskRow(place, definition, planned, failed.cooldown_id, at),
          status: 'skipped',
          message: `Skipped, because ${failed.name} failed on ${failed.qid}: ${failed.message}`,
          start_at: null,
          end_at: at,
        },
      ];
    });
    await results.createMany(rows);
    return rows.length;
  }

  /** Brings the row of a finished measurement to its end. @returns the row as it ended. */
  async function close(
    input: RecordInput,
    plan: FlowStepDocument,
    finished: NonNullable<RecordInput['finished']>,
  ): Promise<
    Pick<
      TaskResultDocument,
      'status' | 'message' | 'task_id' | 'name' | 'cooldown_id' | 'qid' | 'index' | 'stage'
    >
  > {
    const { run } = input;
    const definition = definitionOf(plan, input.index);
    const [row, target] = await Promise.all([
      results.get(run.project_id, finished.task_id),
      definition ? state.read(run.project_id, run.chip_id, kindOf(definition), input.target) : null,
    ]);
    if (!row) throw ApplicationFailure.nonRetryable('The task has no row.', failureTypes.notStartable);
    if (row.status !== 'running' || !definition) return row;
    let pending: TaskResultDocument | null = row;
    if (!row.outcome) {
      const outcome = await outcomeOf(dependencies, run, row, definition, target, finished);
      [pending] = await Promise.all([
        results.setOutcome(run.project_id, row.task_id, outcome, finished.attempt),
        checkHolder(run),
      ]);
    } else await checkHolder(run);
    if (!pending?.outcome) return (await results.get(run.project_id, row.task_id)) ?? row;
    await apply(run, pending, definition, pending.outcome);
    return { ...pending, status: pending.outcome.status, message: pending.outcome.message };
  }

  /** Creates the row of the next task and says what to measure; a task without its inputs fails here. */
  async function prepare(
    input: RecordInput,
    plan: FlowStepDocument,
    index: number,
    task_id: string,
    upstream_id: string,
  ): Promise<Ended & Pick<RecordOutput, 'next'>> {
    const { run, stage, target } = input;
    const planned = plan.tasks[index];
    const definition = definitionOf(plan, index);
    if (!planned || !definition) return { completed: 0, failed: 0, skipped: 0, next: null };
    const [calibrated, cooldown, artifactDirectory] = await Promise.all([
      state.read(run.project_id, run.chip_id, kindOf(definition), target),
      state.currentCooldown(run.project_id, run.chip_id),
      files.rawDataDirectory(run),
      checkHolder(run),
    ]);
    const at = new Date();
    const row = newTaskRow(
      { run, stage, target, index, task_id, upstream_id },
      definition,
      planned,
      cooldown,
      at,
    );
    const inputs = resolveInputs(
      definition,
      calibrated ?? { qid: target, data: {} },
      planned.input_overrides,
    );
    const filled: TaskResultDocument = {
      ...row,
      input_parameters: inputs.records,
      used_entities: inputs.used,
    };
    if (inputs.problem !== null) {
      const failed: TaskResultDocument = {
        ...filled,
        status: 'failed',
        message: inputs.problem,
        end_at: at,
        elapsed_time: 0,
      };
      await results.create(failed);
      return { completed: 0, failed: 1, skipped: await skipRest(run, plan, failed), next: null };
    }
    const deadline = new Date(at.getTime() + definition.timeout * 1000);
    await results.create({ ...filled, deadline });
    return {
      completed: 0,
      failed: 0,
      skipped: 0,
      next: {
        index,
        request: measureRequestOf(filled, definition, inputs.values, artifactDirectory, deadline),
        timeout: definition.timeout,
      },
    };
  }

  return {
    async openStage({ run, stage }) {
      const plan = await planOf(run, stage);
      return { targets: plan.targets, tasks: plan.tasks.length };
    },

    async record(input) {
      const { run, finished, next_task_id } = input;
      const plan = await planOf(run, input.stage);
      const ended: Ended = { completed: 0, failed: 0, skipped: 0 };
      let index = input.index;
      let upstream = '';
      if (finished) {
        const row = await close(input, plan, finished);
        if (row.status !== 'completed') {
          return { ...ended, failed: 1, skipped: await skipRest(run, plan, row), next: null };
        }
        ended.completed = 1;
        index += 1;
        upstream = row.task_id;
      }
      if (next_task_id === null) return { ...ended, next: null };
      const prepared = await prepare(input, plan, index, next_task_id, upstream);
      return { ...prepared, completed: ended.completed };
    },

    /** Summarises a stage from its rows and answers its command. */
    async closeStage({ run, stage, cancelled }) {
      const plan = await planOf(run, stage);
      const rows = await results.stageRows(run.project_id, run.execution_id, stage);
      const count = (status: TaskResultDocument['status']) =>
        rows.filter((row) => row.status === status).length;
      const completedByTarget = new Map<string, number>();
      for (const row of rows) {
        if (row.status === 'completed')
          completedByTarget.set(row.qid, (completedByTarget.get(row.qid) ?? 0) + 1);
      }
      const passed = plan.targets.filter((target) => completedByTarget.get(target) === plan.tasks.length);
      const counts = {
        completed: count('completed'),
        failed: count('failed'),
        skipped: count('skipped'),
        cancelled: count('cancelled'),
        total: plan.targets.length * plan.tasks.length,
      };
      await steps.answer(run.project_id, run.execution_id, stage, {
        status: cancelled ? 'cancelled' : 'done',
        summary: {
          counts,
          passed,
          failed: rows
            .filter((row) => row.status === 'failed')
            .map((row) => ({ target: row.qid, task: row.name, message: row.message })),
        },
        at: new Date(),
      });
      return { counts, passed: passed.length, targets: plan.targets.length };
    },
  };
}
