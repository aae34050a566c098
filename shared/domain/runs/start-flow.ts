import { CalibronError } from '../../kernel/errors.ts';
import type { ProjectId } from '../../kernel/ids.ts';
import { shareUserId } from '../../kernel/sharing-accounts.ts';
import type { KnownTasks } from '../../tasks/known-tasks.ts';
import { flowDefaultProblems } from '../../tasks/run-options.ts';
import { assertCalibratable } from '../chips/rules.ts';
import { type NamedChip, namesParts, partProblems } from '../flows/chip-parameter-rules.ts';
import type { Flows } from '../flows/index.ts';
import { type FlowDocument, type FlowParameters, tagList } from '../flows/saved-flow-model.ts';
import type { StartedRun } from './model.ts';
import type { ExecuteFlow } from './request-model.ts';
import type { CheckedRun, RunOrder } from './run-order.ts';
import type { RunStarter } from './start.ts';

type ParametersOfRun = (
  projectId: ProjectId,
  user: RunOrder['user'],
  given: FlowParameters,
) => Promise<{ parameters: FlowParameters; origin: Record<string, string> }>;

interface Dependencies {
  start: RunStarter;
  flow(projectId: ProjectId, name: string): Promise<FlowDocument | null>;
  /** The error for an unknown flow, which names those that there are. */
  noSuchFlow(projectId: ProjectId): Promise<CalibronError>;
  /** Functions that derive the parameters of a built-in flow's run from the request, by the name of the flow. */
  builtInParameters: Readonly<Record<string, ParametersOfRun>>;
  chip(projectId: ProjectId, chipId: string): Promise<{ activity_status: 'active' | 'inactive' } | null>;
  /** Qubits and couplings of a chip. */
  partsOf(projectId: ProjectId, chipId: string): Promise<NamedChip>;
  checkParameters: Flows['checkParameters'];
  /** The backends that a project may use, by name. */
  backends(projectId: ProjectId): Promise<Readonly<Record<string, unknown>>>;
  /** @throws no_worker when no worker serves the backend */
  assertWorker(backend: string): Promise<void>;
  /** The tasks that a project can run. */
  tasksOf(projectId: ProjectId): Promise<KnownTasks>;
  /** Backend of runs that do not name one. */
  defaultBackend: string;
}

export type StartFlow = ReturnType<typeof createStartFlow>['startFlow'];

/** Starts runs of saved flows. */
export function createStartFlow(dependencies: Dependencies) {
  async function backendOf(projectId: ProjectId, { backend_name: name }: FlowParameters): Promise<string> {
    const wanted = name ?? dependencies.defaultBackend;
    const backends = Object.keys(await dependencies.backends(projectId));
    const backend = backends.find((each) => each === wanted);
    if (backend !== undefined) return backend;
    const which = name === wanted ? 'of the given backend_name' : `${wanted}, which runs use that name none`;
    throw new CalibronError(
      'bad_request',
      `There is no backend ${which}; this project may use ${backends.join(', ') || 'no backend'}.`,
    );
  }

  /** The parameters of a run, completed with the flow's declared defaults. @throws invalid_parameters naming what is wrong */
  async function checkedParameters(
    { projectId, user }: Pick<RunOrder, 'projectId' | 'user'>,
    flow: FlowDocument,
    chipId: string,
    given: FlowParameters,
  ): Promise<FlowParameters> {
    const share = { user: shareUserId(user), project: projectId };
    const declared = flow.parameters ?? null;
    const { all: tasks } = await dependencies.tasksOf(projectId);
    const { values, problems: wrong } = await dependencies.checkParameters(share, declared, given);
    const problems =
      wrong.length > 0 || !namesParts(declared)
        ? wrong
        : partProblems(declared, values, await dependencies.partsOf(projectId, chipId));
    const messages = [
      ...problems.map((problem) => `The parameter ${problem}${problem.endsWith('?') ? '' : '.'}`),
      ...flowDefaultProblems(flow.default_run_parameters, tasks),
    ];
    if (messages.length > 0) throw new CalibronError('invalid_parameters', messages.join(' '));
    return values;
  }

  async function check(
    { projectId, user }: Pick<RunOrder, 'projectId' | 'user'>,
    name: string,
    request: ExecuteFlow,
    asked: Record<string, string>,
  ): Promise<CheckedRun> {
    const flow = await dependencies.flow(projectId, name);
    if (!flow) throw await dependencies.noSuchFlow(projectId);
    const wanted: FlowParameters = { ...flow.default_parameters, ...request.parameters };
    const made = await dependencies.builtInParameters[name]?.(projectId, user, wanted);
    const given = made?.parameters ?? wanted;
    const origin = { ...asked, ...made?.origin };
    const chipId = chipOf(given, flow);
    assertCalibratable(await dependencies.chip(projectId, chipId), chipId);
    const backend = await backendOf(projectId, given);
    const values = await checkedParameters({ projectId, user }, flow, chipId, given);
    if (request.require_worker) await dependencies.assertWorker(backend);
    return {
      run: { chip_id: chipId, name, backend, tags: tagsOf(given, flow) },
      request: {
        flow: { name, hash: flow.hash, function_name: flow.flow_function_name },
        parameters: {
          ...values,
          chip_id: chipId,
          username: user.username,
          flow_name: name,
          project_id: projectId,
          ...origin,
        },
        default_run_parameters: flow.default_run_parameters,
        task: null,
        origin,
      },
    };
  }

  return {
    /**
     * Checks a run of a saved flow as its start does, without starting it.
     * @throws what {@link startFlow} throws, except for errors about the current state of the project
     */
    async checkFlow(
      projectId: ProjectId,
      user: RunOrder['user'],
      name: string,
      parameters: FlowParameters,
    ): Promise<void> {
      await check({ projectId, user }, name, { parameters }, {});
    },

    /**
     * Starts a run of a saved flow. Its parameters are the flow's defaults, overridden by the request's, overridden by those that
     * the service sets. Its chip is `parameters.chip_id`, else the flow's. Its backend is `parameters.backend_name`, else the
     * default one. `origin`, the place from which the run was started, is added to its parameters and its note.
     * @throws not_found, bad_request without a chip or for an unknown backend, conflict for an inactive chip, invalid_parameters
     * naming all that cannot be used, project_busy, update_running, idempotency_conflict
     */
    async startFlow(
      order: RunOrder,
      name: string,
      request: ExecuteFlow,
      origin: Record<string, string> = {},
    ): Promise<StartedRun> {
      // The key of a schedule names its due time. Its request is left out, because it may be edited between two attempts of the
      // same start.
      const asked = order.trigger === 'schedule' ? [name, origin] : [name, request, origin];
      const { priority = order.priority, allow_preemption: allowPreemption } = request;
      return dependencies.start({ ...order, priority, allowPreemption }, asked, () =>
        check(order, name, request, origin),
      );
    },
  };
}

/** Tags of a run: those of the request, else the flow's, else the flow's name, so that each run has at least one. */
function tagsOf(given: FlowParameters, flow: FlowDocument): string[] {
  const asked = tagList.safeParse(given.tags);
  if (asked.success) return asked.data;
  return flow.tags.length > 0 ? flow.tags : [flow.name];
}

function chipOf(given: FlowParameters, flow: FlowDocument): string {
  const chipId = given.chip_id ?? flow.chip_id;
  if (typeof chipId !== 'string' || chipId === '') {
    throw new CalibronError('bad_request', 'Name the chip of this run in parameters.chip_id.');
  }
  return chipId;
}
