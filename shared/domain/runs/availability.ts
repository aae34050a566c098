import { z } from 'zod';
import { CalibronError } from '../../kernel/errors.ts';
import { isoTime } from '../../kernel/time.ts';
import type { ExecutionDocument } from '../executions/model.ts';
import { flowParameters, type StoredFlow } from '../flows/saved-flow.ts';

/** Body of POST /executions/check-availability. */
export const checkAvailability = z.object({
  flow_name: z.string().nullable().default(null),
  parameters: flowParameters.default({}).describe('As for execute; `chip_id` names the chip.'),
});
export type CheckAvailability = z.infer<typeof checkAvailability>;

/** Whether a run could start now; `reason` is null when it could. */
export const availability = z.object({ available: z.boolean(), reason: z.string().nullable() });
export type Availability = z.infer<typeof availability>;

interface Dependencies {
  flow(projectId: string, name: string): Promise<StoredFlow | null>;
  chip(projectId: string, chipId: string): Promise<{ activity_status: 'active' | 'inactive' } | null>;
  /** The run that holds the project, null when it is free. */
  holder(projectId: string): Promise<{ execution_id: string } | null>;
  execution(projectId: string, executionId: string): Promise<Pick<ExecutionDocument, 'start_at'> | null>;
}

const refused = (reason: string): Availability => ({ available: false, reason });

/** Says whether a run could start. It reserves nothing: another start may be faster. */
export function createAvailability(dependencies: Dependencies) {
  /** @throws not_found for an unknown flow */
  return async (projectId: string, request: CheckAvailability): Promise<Availability> => {
    const { flow_name, parameters } = request;
    const flow = flow_name === null ? null : await dependencies.flow(projectId, flow_name);
    if (flow_name !== null && !flow) {
      throw new CalibronError('not_found', 'There is no such flow in this project.');
    }
    const chipId = parameters.chip_id ?? flow?.default_parameters.chip_id ?? flow?.chip_id;
    if (typeof chipId === 'string') {
      const chip = await dependencies.chip(projectId, chipId);
      if (!chip) return refused(`There is no chip ${chipId.slice(0, 64)} in this project.`);
      if (chip.activity_status !== 'active') return refused(`The chip ${chipId} is inactive.`);
    }
    const holder = await dependencies.holder(projectId);
    if (!holder) return { available: true, reason: null };
    const execution = await dependencies.execution(projectId, holder.execution_id);
    const since = execution ? ` since ${isoTime(execution.start_at)}` : '';
    return refused(`The project is held by execution ${holder.execution_id}${since}.`);
  };
}
