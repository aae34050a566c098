import { ApplicationFailure } from '@temporalio/common';
import type { Areas } from '../shared/domain/areas.ts';
import type { ExecutionRequestDocument, PlannedTask } from '../shared/domain/executions/model.ts';
import type { TaskResultDocument } from '../shared/domain/results/model.ts';
import type { HeldRun } from '../shared/domain/runs/run-model.ts';
import { failureTypes } from '../shared/kernel/engine/failure-types.ts';
import type { ProjectId } from '../shared/kernel/ids.ts';
import type { KnownTasks } from '../shared/tasks/known-tasks.ts';
import type { TaskDefinition } from '../shared/tasks/model.ts';
import { backendProblem, noSuchTask, targetProblem } from '../shared/tasks/run-options.ts';
import type { CalibrationActivities } from './contracts/runs.ts';
import { newCommand, planTask } from './planning.ts';

/** Task that pushes a qubit's settings to the instrument. */
const CONFIGURE = 'Configure';

type SingleTask = NonNullable<ExecutionRequestDocument['task']>;

export interface SingleTaskDependencies {
  areas: Pick<Areas, 'executions' | 'results' | 'chips' | 'runs' | 'maintenance'>;
  /** The tasks that a project can run. */
  tasksOf(projectId: ProjectId): Promise<KnownTasks>;
}

/** The activity that plans a run of one task on one target. */
export function createSingleTaskActivities(
  dependencies: SingleTaskDependencies,
): Pick<CalibrationActivities, 'planSingleTask'> {
  const { areas, tasksOf } = dependencies;
  const { chips, results, runs, maintenance } = areas;
  const { store: executions, commands } = areas.executions;

  async function chipOf({ project_id, chip_id }: HeldRun) {
    const [qubits, couplings] = await Promise.all([
      chips.allQubitIds(project_id, chip_id),
      chips.allCouplingIds(project_id, chip_id),
    ]);
    return { chip_id, qubits, couplings };
  }

  function definitionOf(tasks: KnownTasks, { backend }: HeldRun, name: string): TaskDefinition {
    const definition = tasks.find(name, backend);
    if (!definition) throw problem(noSuchTask(name, tasks.names()));
    return definition;
  }

  /** The result that a task is based on. @throws FlowError if it is gone or belongs to another task or target */
  async function sourceOf(
    run: HeldRun,
    task: SingleTask,
    tasks: KnownTasks,
  ): Promise<TaskResultDocument | null> {
    if (!task.from_snapshot) return null;
    const source = await results.get(run.project_id, task.source_task_id);
    if (!source) throw problem(`The task result ${task.source_task_id} is not there any more.`);
    if (tasks.find(source.name)?.name !== task.name || source.qid !== task.qid) {
      throw problem(
        `The task result ${source.task_id} is ${source.name} of ${source.qid}, not ${task.name} of ${task.qid}.`,
      );
    }
    return source;
  }

  return {
    /**
     * Plans the only stage of the run: Configure if requested, then the task, with or without a snapshot as its source.
     * @throws FlowError listing all problems
     */
    async planSingleTask({ run }) {
      const request = await executions.request(run.project_id, run.execution_id);
      const wanted = request?.task;
      if (!wanted) throw problem('The run has no task.');
      const tasks = await tasksOf(run.project_id);
      const definition = definitionOf(tasks, run, wanted.name);
      const source = await sourceOf(run, wanted, tasks);
      // The few points of a check are not those of the whole task.
      const isSame = source !== null && (source.check === undefined) === (wanted.check === undefined);
      const ofSource = isSame ? source.run_parameters : {};
      const { task, problems } = planTask(definition, [ofSource, wanted.run_overrides]);
      const notMeasurable =
        backendProblem(definition, run) ?? targetProblem(definition, [wanted.qid], await chipOf(run));
      if (notMeasurable !== null) problems.unshift(notMeasurable);
      if (problems.length > 0) throw problem(problems.join(' '));
      const main: PlannedTask = {
        ...task,
        input_overrides: wanted.input_overrides,
        source_task_id: wanted.source_task_id,
        ...(wanted.check && {
          check: {
            tolerances: await maintenance.tolerances(),
            ...(source?.check && { repeated: source.check.values }),
          },
        }),
        ...(source && { snapshot: { task_id: source.task_id, inputs: source.input_parameters } }),
      };
      const before = wanted.reconfigure ? [planTask(definitionOf(tasks, run, CONFIGURE), []).task] : [];
      // There is only one target, so no measurement is shared with others.
      const planned = [...before, main].map((each) => ({
        ...each,
        scope: 'target' as const,
        persist: wanted.persist,
      }));
      const command = {
        kind: 'stage' as const,
        name: definition.name,
        tasks: planned.map(({ name }) => ({ name })),
        targets: [wanted.qid],
      };
      await commands.plan(newCommand(run, 0, command, planned));
      await runs.locks.noteStage(run.project_id, run.epoch, 1);
      return { target: wanted.qid, tasks: planned.length };
    },
  };
}

function problem(message: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(message, failureTypes.flow);
}
