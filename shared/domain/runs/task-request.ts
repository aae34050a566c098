import { CalibronError } from '../../kernel/errors.ts';
import type { ProjectId } from '../../kernel/ids.ts';
import { hasCheck, noCheckForm } from '../../tasks/checks.ts';
import type { KnownTasks } from '../../tasks/known-tasks.ts';
import { SIMULATOR_BACKEND, type TaskDefinition } from '../../tasks/model.ts';
import { backendProblem, noSuchTask, targetProblem } from '../../tasks/run-options.ts';
import { assertCalibratable } from '../chips/rules.ts';
import type { ExecutionRequestDocument } from '../executions/model.ts';
import type { CheckedRun } from './run-order.ts';
import { overrideProblems } from './task-overrides.ts';

export interface TaskRequestDependencies {
  chips: {
    get(projectId: ProjectId, chipId: string): Promise<{ activity_status: 'active' | 'inactive' } | null>;
    allQubitIds(projectId: ProjectId, chipId: string): Promise<string[]>;
    allCouplingIds(projectId: ProjectId, chipId: string): Promise<string[]>;
  };
  /** The backends that a project may use, with the tasks that they offer. */
  backends(projectId: ProjectId): Promise<Readonly<Record<string, { tasks: readonly string[] }>>>;
  /** The tasks that a project can run. */
  tasksOf(projectId: ProjectId): Promise<KnownTasks>;
}

/** A single task to start, before it is checked. Common to both ways of starting one. */
export interface WantedTask {
  task_name: string;
  chip_id: string;
  backend: string;
  /** First part of the execution's name. */
  kind: 'quick-run' | 're-execute' | 'agent';
  tags: string[];
  origin: Record<string, string>;
  task: Omit<NonNullable<ExecutionRequestDocument['task']>, 'name'>;
}

/** Added when a task is unknown: its worker may have started only just now. */
const DECLARATION_DELAY = 'What a worker declares is known within a minute after it has started.';

/** Why a task cannot be checked as requested. */
function checkProblems({ name }: TaskDefinition, { persist }: { persist?: boolean }): string[] {
  const problems = hasCheck(name) ? [] : [noCheckForm(name)];
  return persist ? [...problems, 'A check writes no values: leave out persist_output_parameters.'] : problems;
}

export type TaskRequests = ReturnType<typeof createTaskRequests>;

/** Checks requests for single tasks. */
export function createTaskRequests({ chips, backends, tasksOf }: TaskRequestDependencies) {
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
    if (!offered) {
      const usable = Object.keys(all).join(', ') || 'no backend';
      problems.push(
        `There is no backend ${backend.slice(0, 64) || 'with an empty name'}; this project may use ${usable}.`,
      );
    }
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

  /** The checked run of a requested task. @throws bad_request with a message for each problem, not_found, conflict for an inactive chip */
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

  return { problemsOf, check };
}
