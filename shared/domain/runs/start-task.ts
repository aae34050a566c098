import { CalibronError } from '../../kernel/errors.ts';
import type { TaskDefinition } from '../../tasks/model.ts';
import { noSuchTask, targetProblem } from '../../tasks/run-options.ts';
import { assertCalibratable } from '../chips/rules.ts';
import type { ExecutionRequestDocument } from '../executions/model.ts';
import type { TaskResultDocument } from '../results/model.ts';
import type { StartedRun } from './model.ts';
import type { ExecuteTask, ReExecuteTask } from './request-model.ts';
import type { CheckedRun, RunOrder, RunStarter } from './start.ts';
import { overrideProblems } from './task-overrides.ts';

interface Dependencies {
  start: RunStarter;
  chips: {
    get(projectId: string, chipId: string): Promise<{ activity_status: 'active' | 'inactive' } | null>;
    allQubitIds(projectId: string, chipId: string): Promise<string[]>;
    allCouplingIds(projectId: string, chipId: string): Promise<string[]>;
  };
  result(projectId: string, taskId: string): Promise<TaskResultDocument | null>;
  execution(projectId: string, executionId: string): Promise<{ backend: string } | null>;
  /** The backends that a project may use, with the tasks that they offer. */
  backends(projectId: string): Promise<Readonly<Record<string, { tasks: readonly string[] }>>>;
  defaultBackend: string;
  findTask(name: string): TaskDefinition | undefined;
  taskNames(): string[];
}

/** What both ways of starting a single task have decided before the checks. */
interface WantedTask {
  task_name: string;
  chip_id: string;
  backend: string;
  /** First part of the execution's name. */
  kind: 'quick-run' | 're-execute';
  tags: string[];
  origin: Record<string, string>;
  task: Omit<NonNullable<ExecutionRequestDocument['task']>, 'name'>;
}

/** Starts runs of one task on one target. They hold the project as every run does. */
export function createTaskStarts(dependencies: Dependencies) {
  const { start, chips, backends, defaultBackend, findTask } = dependencies;

  async function result(projectId: string, taskId: string): Promise<TaskResultDocument> {
    const found = await dependencies.result(projectId, taskId);
    if (!found) throw new CalibronError('not_found', 'There is no such task result in this project.');
    return found;
  }

  /** @throws bad_request with a sentence for everything that is wrong with the wanted task */
  async function definitionOf(projectId: string, wanted: WantedTask): Promise<TaskDefinition> {
    const { chip_id, backend, task } = wanted;
    assertCalibratable(await chips.get(projectId, chip_id), chip_id);
    const definition = findTask(wanted.task_name);
    const all = await backends(projectId);
    const offered = Object.hasOwn(all, backend) ? all[backend] : undefined;
    const problems: string[] = [];
    if (!offered) problems.push(`There is no backend ${backend.slice(0, 64)}.`);
    if (!definition) problems.push(noSuchTask(wanted.task_name.slice(0, 100), dependencies.taskNames()));
    else {
      if (offered && !offered.tasks.includes(definition.name)) {
        problems.push(`The task ${definition.name} is not enabled for backend ${backend}.`);
      }
      const [qubits, couplings] = await Promise.all([
        chips.allQubitIds(projectId, chip_id),
        chips.allCouplingIds(projectId, chip_id),
      ]);
      const notMeasurable = targetProblem(definition, [task.qid], { chip_id, qubits, couplings });
      if (notMeasurable !== null) problems.push(notMeasurable);
      problems.push(
        ...overrideProblems(definition, { input: task.input_overrides, run: task.run_overrides }),
      );
    }
    if (!definition || problems.length > 0) throw new CalibronError('bad_request', problems.join(' '));
    return definition;
  }

  async function check(projectId: string, wanted: WantedTask): Promise<CheckedRun> {
    const { name: taskName } = await definitionOf(projectId, wanted);
    const { chip_id, backend, tags, origin, task } = wanted;
    const name = `${wanted.kind}:${taskName}`;
    return {
      run: { chip_id, name, backend, tags: tags.length > 0 ? tags : [name] },
      request: {
        flow: null,
        parameters: {},
        default_run_parameters: {},
        task: { ...task, name: taskName },
        origin,
      },
    };
  }

  return {
    /**
     * Starts a task with the values of calibration state.
     * @throws bad_request naming everything that is wrong, not_found for chip or source task, conflict for an
     *   inactive chip, project_busy, idempotency_conflict
     */
    startTask(order: RunOrder, taskName: string, request: ExecuteTask): Promise<StartedRun> {
      return start(order, ['execute', taskName, request], async () => {
        const { source_task_id } = request;
        if (source_task_id !== null) await result(order.projectId, source_task_id);
        return check(order.projectId, {
          task_name: taskName,
          chip_id: request.chip_id,
          backend: request.backend_name ?? defaultBackend,
          kind: 'quick-run',
          tags: [],
          origin: source_task_id === null ? {} : { source_task_id },
          task: {
            qid: request.qid,
            input_overrides: request.input_parameter_overrides,
            run_overrides: request.run_parameter_overrides,
            source_task_id: source_task_id ?? '',
            from_snapshot: false,
            reconfigure: request.reconfigure,
            persist: request.persist_output_parameters,
          },
        });
      });
    },

    /**
     * Starts a task again with the inputs and run parameters that its result was made with, on the same target,
     * chip and backend. Its outputs become calibration state.
     * @throws as {@link startTask}; not_found for an unknown task result
     */
    reExecuteTask(order: RunOrder, taskId: string, request: ReExecuteTask): Promise<StartedRun> {
      return start(order, ['re-execute', taskId, request], async () => {
        const source = await result(order.projectId, taskId);
        const execution = await dependencies.execution(order.projectId, source.execution_id);
        const { input, run } = request.parameter_overrides;
        return check(order.projectId, {
          task_name: source.name,
          chip_id: source.chip_id,
          backend: execution?.backend ?? defaultBackend,
          kind: 're-execute',
          tags: source.tags,
          origin: { source_execution_id: source.execution_id, source_task_id: taskId },
          task: {
            qid: source.qid,
            input_overrides: input,
            run_overrides: run,
            source_task_id: taskId,
            from_snapshot: true,
            reconfigure: request.reconfigure,
            persist: true,
          },
        });
      });
    },
  };
}
