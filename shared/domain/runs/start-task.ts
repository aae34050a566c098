import { CalibronError } from '../../kernel/errors.ts';
import { type ExecutionId, NO_TASK, type ProjectId, type TaskId } from '../../kernel/ids.ts';
import { findTask } from '../../tasks/catalog.ts';
import { hasCheck, noCheckForm } from '../../tasks/checks.ts';
import type { KnownTasks } from '../../tasks/known-tasks.ts';
import { SIMULATOR_BACKEND, type TaskDefinition } from '../../tasks/model.ts';
import { backendProblem, noSuchTask, targetProblem } from '../../tasks/run-options.ts';
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
    get(projectId: ProjectId, chipId: string): Promise<{ activity_status: 'active' | 'inactive' } | null>;
    allQubitIds(projectId: ProjectId, chipId: string): Promise<string[]>;
    allCouplingIds(projectId: ProjectId, chipId: string): Promise<string[]>;
  };
  result(projectId: ProjectId, taskId: TaskId): Promise<TaskResultDocument | null>;
  /** The newest result of a task on a target in an execution. */
  newestIn(
    projectId: ProjectId,
    executionId: ExecutionId,
    of: { name: string; qid: string },
  ): Promise<{ task_id: TaskId } | null>;
  execution(
    projectId: ProjectId,
    executionId: ExecutionId,
  ): Promise<{ backend: string; chip_id: string } | null>;
  /** The backends that a project may use, with the tasks that they offer. */
  backends(projectId: ProjectId): Promise<Readonly<Record<string, { tasks: readonly string[] }>>>;
  /** @throws no_worker when no worker serves the backend */
  assertWorker(backend: string): Promise<void>;
  defaultBackend: string;
  /** The tasks that a project can run. */
  tasksOf(projectId: ProjectId): Promise<KnownTasks>;
}

/** A single task to start, before it is checked. Common to both ways of starting one. */
interface WantedTask {
  task_name: string;
  chip_id: string;
  backend: string;
  /** First part of the execution's name. */
  kind: 'quick-run' | 're-execute' | 'agent';
  tags: string[];
  origin: Record<string, string>;
  task: Omit<NonNullable<ExecutionRequestDocument['task']>, 'name'>;
}

/** A task that an agent requests. */
export interface AgentTask {
  chip_id: string;
  task_name: string;
  qid: string;
  input_overrides: Record<string, number>;
}

/** The user and the agent action behind a run. An action is run at most once. */
export interface AgentOrder extends Pick<RunOrder, 'projectId' | 'user' | 'priority' | 'assertAllowed'> {
  action_id: string;
}

/** Added when a task is unknown: its worker may have started only just now. */
const DECLARATION_DELAY = 'What a worker declares is known within a minute after it has started.';

/** No run was started for an action. */
class NotBegun extends Error {}

/** Why a task cannot be checked as requested. */
function checkProblems({ name }: TaskDefinition, { persist }: { persist?: boolean }): string[] {
  const problems = hasCheck(name) ? [] : [noCheckForm(name)];
  return persist ? [...problems, 'A check writes no values: leave out persist_output_parameters.'] : problems;
}

/** Starts runs of one task on one target. Like every run, they hold the project. */
export function createTaskStarts(dependencies: Dependencies) {
  const { start, chips, backends, defaultBackend, tasksOf } = dependencies;

  async function result(projectId: ProjectId, taskId: TaskId): Promise<TaskResultDocument> {
    const found = await dependencies.result(projectId, taskId);
    if (!found) throw new CalibronError('not_found', 'There is no such task result in this project.');
    return found;
  }

  /** One message for each problem of a requested task. */
  async function problemsOf(
    projectId: ProjectId,
    wanted: Pick<WantedTask, 'task_name' | 'chip_id' | 'backend'> & {
      task: Pick<WantedTask['task'], 'qid' | 'input_overrides' | 'run_overrides'> &
        Partial<Pick<WantedTask['task'], 'check' | 'persist'>>;
    },
  ): Promise<{ definition: TaskDefinition | undefined; problems: string[] }> {
    const { chip_id, backend, task } = wanted;
    const [tasks, all] = await Promise.all([tasksOf(projectId), backends(projectId)]);
    const definition = tasks.find(wanted.task_name, backend);
    const offered = Object.hasOwn(all, backend) ? all[backend] : undefined;
    const problems: string[] = [];
    if (!offered) problems.push(`There is no backend ${backend.slice(0, 64)}.`);
    if (!definition) {
      const unknown = noSuchTask(wanted.task_name.slice(0, 100), tasks.names());
      problems.push(offered && backend !== SIMULATOR_BACKEND ? `${unknown} ${DECLARATION_DELAY}` : unknown);
    } else {
      if (offered && !offered.tasks.includes(definition.name)) {
        const notEnabled = `The task ${definition.name} is not enabled for backend ${backend}.`;
        problems.push(backendProblem(definition, { backend }) ?? notEnabled);
      }
      const [qubits, couplings] = await Promise.all([
        chips.allQubitIds(projectId, chip_id),
        chips.allCouplingIds(projectId, chip_id),
      ]);
      const notMeasurable = targetProblem(definition, [task.qid], { chip_id, qubits, couplings });
      if (notMeasurable !== null) problems.push(notMeasurable);
      if (task.check) problems.push(...checkProblems(definition, task));
      problems.push(
        ...overrideProblems(definition, { input: task.input_overrides, run: task.run_overrides }),
      );
    }
    return { definition, problems };
  }

  /** @throws bad_request with a message for each problem of the requested task */
  async function definitionOf(projectId: ProjectId, wanted: WantedTask): Promise<TaskDefinition> {
    assertCalibratable(await chips.get(projectId, wanted.chip_id), wanted.chip_id);
    const { definition, problems } = await problemsOf(projectId, wanted);
    if (!definition || problems.length > 0) throw new CalibronError('bad_request', problems.join(' '));
    return definition;
  }

  /** The order of the run that belongs to an action. */
  function agentOrder({ action_id, ...order }: AgentOrder): RunOrder {
    return { ...order, idempotencyKey: `agent-action:${action_id}`, trigger: 'agent' };
  }
  /** The fingerprint contains the action only: a repeat does not change how it was first started. */
  const askedOf = ({ action_id }: AgentOrder) => ['agent', action_id];

  /** The result in an execution that provides the inputs of an agent's task; null when the task has none there. */
  async function sourceIn(
    projectId: ProjectId,
    { chip_id, task_name, qid }: AgentTask,
    executionId: ExecutionId,
  ) {
    const execution = await dependencies.execution(projectId, executionId);
    if (execution?.chip_id !== chip_id) {
      throw new CalibronError(
        'bad_request',
        `There is no execution ${executionId.slice(0, 64)} of the chip ${chip_id} in this project.`,
      );
    }
    // Only names of the catalog have older forms.
    const name = findTask(task_name)?.name ?? task_name;
    return dependencies.newestIn(projectId, executionId, { name, qid });
  }

  async function check(projectId: ProjectId, wanted: WantedTask): Promise<CheckedRun> {
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
     * Starts a task with the values of the calibration state.
     * @throws bad_request listing every problem, not_found for chip or source task, conflict for an inactive chip, project_busy,
     * update_running, idempotency_conflict
     */
    startTask(order: RunOrder, taskName: string, request: ExecuteTask): Promise<StartedRun> {
      const { priority } = request;
      return start({ ...order, priority }, ['execute', taskName, request], async () => {
        const { source_task_id } = request;
        if (source_task_id !== null) await result(order.projectId, source_task_id);
        const backend = request.backend_name ?? defaultBackend;
        const checked = await check(order.projectId, {
          task_name: taskName,
          chip_id: request.chip_id,
          backend,
          kind: 'quick-run',
          tags: [],
          origin: source_task_id === null ? {} : { source_task_id },
          task: {
            qid: request.qid,
            input_overrides: request.input_parameter_overrides,
            run_overrides: request.run_parameter_overrides,
            source_task_id: source_task_id ?? NO_TASK,
            from_snapshot: false,
            reconfigure: request.reconfigure,
            persist: request.persist_output_parameters,
            ...(request.check && { check: true }),
          },
        });
        if (request.require_worker) await dependencies.assertWorker(backend);
        return checked;
      });
    },

    /**
     * Starts a task again with the inputs and run parameters of an earlier result, on the same target, chip and backend. Its
     * outputs become calibration state.
     * @throws as {@link startTask}; not_found for an unknown task result
     */
    reExecuteTask(order: RunOrder, taskId: TaskId, request: ReExecuteTask): Promise<StartedRun> {
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
            // A check that is repeated remains one.
            persist: source.check === undefined,
            ...(source.check && { check: true }),
          },
        });
      });
    },

    /** Tasks requested by agents. Their outputs stay in the task result until they are committed. */
    agentTasks: {
      /** Why a task can never run; null when it can. */
      async problem(projectId: ProjectId, wanted: AgentTask): Promise<string | null> {
        const { task_name, chip_id, qid, input_overrides } = wanted;
        const { problems } = await problemsOf(projectId, {
          task_name,
          chip_id,
          backend: defaultBackend,
          task: { qid, input_overrides, run_overrides: {} },
        });
        return problems.length > 0 ? problems.join(' ') : null;
      },

      /** @throws as {@link startTask} */
      start(
        order: AgentOrder,
        wanted: AgentTask & {
          session_id: string;
          /** Execution whose inputs the task starts from, if the task ran there on this target. */
          source_execution_id: ExecutionId | null;
          reconfigure: boolean;
        },
      ): Promise<StartedRun> {
        const { session_id, source_execution_id } = wanted;
        return start(agentOrder(order), askedOf(order), async () => {
          const source =
            source_execution_id === null
              ? null
              : await sourceIn(order.projectId, wanted, source_execution_id);
          return check(order.projectId, {
            task_name: wanted.task_name,
            chip_id: wanted.chip_id,
            backend: defaultBackend,
            kind: 'agent',
            tags: [`agent-session:${session_id}`],
            origin: {
              agent_session_id: session_id,
              agent_action_id: order.action_id,
              ...(source_execution_id === null ? {} : { source_execution_id }),
              ...(source && { source_task_id: source.task_id }),
            },
            task: {
              qid: wanted.qid,
              input_overrides: wanted.input_overrides,
              run_overrides: {},
              source_task_id: source?.task_id ?? NO_TASK,
              from_snapshot: source !== null,
              reconfigure: wanted.reconfigure,
              persist: false,
            },
          });
        });
      },

      /** The run that was started for an action; null when there is none. */
      async begun(order: AgentOrder): Promise<StartedRun | null> {
        const refuse = async () => {
          throw new NotBegun();
        };
        try {
          return await start({ ...agentOrder(order), assertAllowed: refuse }, askedOf(order), refuse);
        } catch (thrown) {
          if (thrown instanceof NotBegun) return null;
          throw thrown;
        }
      },
    },
  };
}
