import { z } from 'zod';
import { CalibronError } from '../errors.ts';
import type { StartedRun } from '../executions/model.ts';
import type { StartRequest } from '../executions/starting.ts';
import type { ExecuteFlow, FlowParameters, StoredFlow } from './saved-flow.ts';

interface Dependencies {
  flow(projectId: string, name: string): Promise<StoredFlow | null>;
  chip(projectId: string, chipId: string): Promise<{ activity_status: 'active' | 'inactive' } | null>;
  start(request: StartRequest): Promise<StartedRun>;
  backend: string;
}

/** Who asks for a run, where. */
export interface RunOrder {
  projectId: string;
  user: { _id: string; username: string };
  idempotencyKey: string | undefined;
}

const tagList = z.array(z.string());

/** Starts runs of saved flows. */
export function createFlowExecution(dependencies: Dependencies) {
  /**
   * Starts a run of a saved flow. Its parameters are the flow's defaults, overridden by the
   * request's, overridden by what the service knows; its chip is `parameters.chip_id`, else the flow's.
   * @throws not_found, bad_request without a chip, conflict for an inactive chip, project_busy,
   *   idempotency_conflict
   */
  return async (order: RunOrder, name: string, request: ExecuteFlow): Promise<StartedRun> => {
    const { projectId, user } = order;
    const flow = await dependencies.flow(projectId, name);
    if (!flow) throw new CalibronError('not_found', 'There is no such flow in this project.');
    const given: FlowParameters = { ...flow.default_parameters, ...request.parameters };
    const chipId = chipOf(given, flow);
    const chip = await dependencies.chip(projectId, chipId);
    if (!chip) throw new CalibronError('not_found', 'The chip of this run is not in the project.');
    if (chip.activity_status !== 'active') {
      throw new CalibronError('conflict', `The chip ${chipId} is inactive; set it active to calibrate it.`);
    }
    const tags = tagList.safeParse(given.tags);
    return dependencies.start({
      run: {
        project_id: projectId,
        chip_id: chipId,
        name,
        user_id: user._id,
        username: user.username,
        backend: dependencies.backend,
        trigger: 'api',
        tags: tags.success ? tags.data : flow.tags,
      },
      request: {
        flow: { name, hash: flow.hash, function_name: flow.flow_function_name },
        parameters: {
          ...given,
          chip_id: chipId,
          username: user.username,
          flow_name: name,
          project_id: projectId,
        },
        default_run_parameters: flow.default_run_parameters,
        task: null,
      },
      idempotencyKey: order.idempotencyKey,
    });
  };
}

function chipOf(given: FlowParameters, flow: StoredFlow): string {
  const chipId = given.chip_id ?? flow.chip_id;
  if (typeof chipId !== 'string' || chipId === '') {
    throw new CalibronError('bad_request', 'Name the chip of this run in parameters.chip_id.');
  }
  return chipId;
}
