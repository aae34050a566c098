import { CalibronError } from '../../kernel/errors.ts';
import { sha256 } from '../../kernel/ids.ts';
import type { TaskDefinition } from '../../tasks/model.ts';
import { noSuchTask, targetProblem } from '../../tasks/run-options.ts';
import { assertCalibratable } from '../chips/rules.ts';
import type { ExecutionRequest, StartedRun } from '../executions/model.ts';
import type { TaskResultDocument } from '../results/model.ts';
import type { RunOrder } from './execute-flow.ts';
import type { ExecuteTask, ReExecuteTask } from './single-task-model.ts';
import { overrideProblems } from './single-task-rules.ts';
import type { StartRequest } from './starting.ts';

interface Dependencies {
  chips: {
    get(projectId: string, chipId: string): Promise<{ activity_status: 'active' | 'inactive' } | null>;
    allQubitIds(projectId: string, chipId: string): Promise<string[]>;
    allCouplingIds(projectId: string, chipId: string): Promise<string[]>;
  };
  result(projectId: string, taskId: string): Promise<TaskResultDocument | null>;
  /** Backend of an execution, undefined for one that is not there. */
  backendOf(projectId: string, executionId: string): Promise<string | undefined>;
  /** The backends of this installation with the tasks that they offer. */
  backends(): Promise<Readonly<Record<string, { tasks: readonly string[] }>>>;
  defaultBackend: string;
  findTask(name: string): TaskDefinition | undefined;
  taskNames(): string[];
  /** The first answer of an idempotency key, null for a new one. @throws idempotency_conflict */
  known(projectId: string, userId: string, key: string, fingerprint: string): Promise<StartedRun | null>;
  start(request: StartRequest): Promise<StartedRun>;
}

/** What both ways of starting a single task have decided before the checks. */
interface Wanted {
  task_name: string;
  chip_id: string;
  backend: string;
  /** First part of the execution's name. */
  kind: 'quick-run' | 're-execute';
  tags: string[];
  origin: Record<string, string>;
  task: Omit<NonNullable<ExecutionRequest['task']>, 'name'>;
}

/** Starts runs of one task on one target. They hold the project as every run does. */
export function createSingleTaskStarts(dependencies: Dependencies) {
  const { chips, backends, findTask } = dependencies;

  async function result(projectId: string, taskId: string): Promise<TaskResultDocument> {
    const found = await dependencies.result(projectId, taskId);
    if (!found) throw new CalibronError('not_found', 'There is no such task result in this project.');
    return found;
  }

  /** @throws bad_request with a sentence for everything that is wrong with the wanted task */
  async function check(projectId: string, wanted: Wanted): Promise<TaskDefinition> {
    const { chip_id, backend, task } = wanted;
    assertCalibratable(await chips.get(projectId, chip_id), chip_id);
    const definition = findTask(wanted.task_name);
    const all = await backends();
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

  /** Answers a known key first: what the first request needed may be gone meanwhile. */
  async function start(
    { projectId, user, idempotencyKey }: RunOrder,
    request: unknown,
    want: () => Promise<Wanted>,
  ): Promise<StartedRun> {
    const fingerprint = sha256(JSON.stringify([projectId, request]));
    const first = idempotencyKey
      ? await dependencies.known(projectId, user._id, idempotencyKey, fingerprint)
      : null;
    if (first) return first;
    const wanted = await want();
    const definition = await check(projectId, wanted);
    const name = `${wanted.kind}:${definition.name}`;
    return dependencies.start({
      run: {
        project_id: projectId,
        chip_id: wanted.chip_id,
        name,
        user_id: user._id,
        username: user.username,
        backend: wanted.backend,
        trigger: 'api',
        tags: wanted.tags.length > 0 ? wanted.tags : [name],
      },
      request: {
        flow: null,
        parameters: {},
        default_run_parameters: {},
        task: { ...wanted.task, name: definition.name },
        origin: wanted.origin,
      },
      idempotencyKey,
      fingerprint,
    });
  }

  return {
    /**
     * Starts a task with the values of calibration state.
     * @throws bad_request naming everything that is wrong, not_found for chip or source task, conflict for an
     *   inactive chip, project_busy, idempotency_conflict
     */
    execute(order: RunOrder, taskName: string, request: ExecuteTask): Promise<StartedRun> {
      return start(order, ['execute', taskName, request], async (): Promise<Wanted> => {
        const { source_task_id } = request;
        if (source_task_id !== null) await result(order.projectId, source_task_id);
        return {
          task_name: taskName,
          chip_id: request.chip_id,
          backend: request.backend_name ?? dependencies.defaultBackend,
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
        };
      });
    },

    /**
     * Starts a task again with the inputs and run parameters that its result was made with, on the same target,
     * chip and backend. Its outputs become calibration state.
     * @throws as {@link execute}; not_found for an unknown task result
     */
    reExecute(order: RunOrder, taskId: string, request: ReExecuteTask): Promise<StartedRun> {
      return start(order, ['re-execute', taskId, request], async (): Promise<Wanted> => {
        const source = await result(order.projectId, taskId);
        const { input, run } = request.parameter_overrides;
        return {
          task_name: source.name,
          chip_id: source.chip_id,
          backend:
            (await dependencies.backendOf(order.projectId, source.execution_id)) ??
            dependencies.defaultBackend,
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
        };
      });
    },
  };
}
