/** All steps: the plan of the stage. */
import { ApplicationFailure } from '@temporalio/common';
import type { Areas } from '../../shared/domain/areas.ts';
import type { FlowCommandDocument, PlannedTask } from '../../shared/domain/executions/model.ts';
import type { HeldRun } from '../../shared/domain/runs/run-model.ts';
import { failureTypes } from '../../shared/kernel/engine/failure-types.ts';
import type { TaskDefinition } from '../../shared/tasks/model.ts';
import { addedParameters, undeclaredParameters } from '../../shared/tasks/planned-parameters.ts';
import { missingTask, type WantedTask } from '../missing-task.ts';

/** Number of plans of running stages to remember. Only the end marker of a stored plan ever changes. */
const PLAN_CACHE = 64;

/** A planned task with its definition. */
export interface Task {
  planned: PlannedTask;
  definition: TaskDefinition;
}

export type Plans = ReturnType<typeof createPlans>;

/** Cache of the plans of stages. */
export function createPlans(dependencies: {
  areas: Pick<Areas, 'executions' | 'backends'>;
  findTask(name: string): TaskDefinition | undefined;
}) {
  const { backends } = dependencies.areas;
  const { commands } = dependencies.areas.executions;
  const plans = new Map<string, FlowCommandDocument>();
  /** Tasks that backends declare, by the hash that plans pin. */
  const pinned = new Map<string, TaskDefinition>();
  const findTask = ({ name, declaration }: PlannedTask) =>
    declaration === undefined ? dependencies.findTask(name) : pinned.get(declaration);

  /** Reads the declarations that a plan pins, so that its tasks are known without waiting. */
  async function readPinned({ backend }: HeldRun, { tasks }: FlowCommandDocument): Promise<void> {
    for (const { name, declaration } of tasks) {
      if (declaration === undefined || pinned.has(declaration)) continue;
      const definition = await backends.pinnedTask(backend, name, declaration);
      if (definition) pinned.set(declaration, definition);
    }
  }

  const keyOf = (run: HeldRun, stage: number) => `${run.project_id}/${run.execution_id}/${stage}`;
  return {
    /** The plan, possibly from the cache. @throws ExecutionNotStartable if the stage was never planned */
    async of(run: HeldRun, stage: number): Promise<FlowCommandDocument> {
      const plan = plans.get(keyOf(run, stage));
      if (!plan) return this.read(run, stage);
      // A declaration that was gone when the plan was read may have returned.
      await readPinned(run, plan);
      return plan;
    },

    /** The plan as it is in the store, which shows whether the stage has ended. @throws like `of` */
    async read(run: HeldRun, stage: number): Promise<FlowCommandDocument> {
      const plan = await commands.get(run.project_id, run.execution_id, stage);
      if (!plan)
        throw ApplicationFailure.nonRetryable(`Stage ${stage} has no plan.`, failureTypes.notStartable);
      await readPinned(run, plan);
      if (plans.size >= PLAN_CACHE) plans.delete(plans.keys().next().value ?? '');
      plans.set(keyOf(run, stage), plan);
      return plan;
    },

    /** The tasks of a plan in order, with their positions. Those that this release does not have are left out. */
    tasks(plan: FlowCommandDocument): (Task & { index: number })[] {
      return plan.tasks.flatMap((_planned, index) => {
        const task = this.known(plan, index);
        return task ? [{ ...task, index }] : [];
      });
    },

    /** The task at a position of a plan; null after its end. @throws MissingTask if this release does not have it */
    task(plan: FlowCommandDocument, index: number): Task | null {
      const wanted = this.missing(plan, index);
      if (wanted !== null) throw missingTask(wanted);
      return this.known(plan, index);
    },

    /** The same; null also for a task that this release does not have. */
    known(plan: FlowCommandDocument, index: number): Task | null {
      const planned = plan.tasks[index];
      const definition = planned && findTask(planned);
      if (!definition || this.missing(plan, index) !== null) return null;
      const added = addedParameters(definition, planned.run_parameters);
      if (Object.keys(added).length === 0) return { planned, definition };
      return { planned: { ...planned, run_parameters: { ...planned.run_parameters, ...added } }, definition };
    },

    /** The task at a position of a plan, if nothing defines it any more: this release lacks it or its run parameters, or its declaration is gone. */
    missing(plan: FlowCommandDocument, index: number): WantedTask | null {
      const planned = plan.tasks[index];
      if (!planned) return null;
      const { name, declaration } = planned;
      const definition = findTask(planned);
      if (!definition) return { name, ...(declaration !== undefined && { declaration }) };
      const run_parameters = undeclaredParameters(definition, planned.run_parameters);
      return run_parameters.length > 0 ? { name, run_parameters } : null;
    },
  };
}

/** The kind of calibration state of a task; null for tasks that do not concern a single qubit or coupling. */
export function targetKind(definition: Pick<TaskDefinition, 'taskType'>): 'qubit' | 'coupling' | null {
  const { taskType } = definition;
  return taskType === 'qubit' || taskType === 'coupling' ? taskType : null;
}

/** Whether the outputs of a task become calibration state. */
export function isPersisted({ planned }: Pick<Task, 'planned'>): boolean {
  return planned.persist ?? true;
}
