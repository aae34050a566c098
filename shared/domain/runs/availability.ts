import type { CalibronError } from '../../kernel/errors.ts';
import type { ExecutionId, ProjectId } from '../../kernel/ids.ts';
import { isoTime } from '../../kernel/time.ts';
import type { FlowDocument } from '../flows/saved-flow-model.ts';
import { type GateHolder, updateRunning } from '../update-gate/index.ts';
import { holderName } from './busy-rules.ts';
import type { Availability } from './model.ts';
import type { CheckAvailability } from './request-model.ts';

interface Dependencies {
  flow(projectId: ProjectId, name: string): Promise<FlowDocument | null>;
  /** The error for an unknown flow, which names those that there are. */
  noSuchFlow(projectId: ProjectId): Promise<CalibronError>;
  chip(projectId: ProjectId, chipId: string): Promise<{ activity_status: 'active' | 'inactive' } | null>;
  /** The run that holds the project; null if it is free. Waits for a run that has already recorded its end. */
  holder(projectId: ProjectId): Promise<{ execution_id: ExecutionId } | null>;
  execution(projectId: ProjectId, executionId: ExecutionId): Promise<{ start_at: Date } | null>;
  /** The system update that blocks new runs; null if there is none. */
  update(): Promise<GateHolder | null>;
}

const unavailable = (reason: string): Availability => ({ available: false, reason });

/** Reports whether a run could start. It reserves nothing, so another start may still come first. */
export function createAvailability(dependencies: Dependencies) {
  /** @throws not_found for an unknown flow */
  return async (projectId: ProjectId, request: CheckAvailability): Promise<Availability> => {
    const { flow_name, parameters } = request;
    const flow = flow_name === null ? null : await dependencies.flow(projectId, flow_name);
    if (flow_name !== null && !flow) throw await dependencies.noSuchFlow(projectId);
    const chipId = parameters.chip_id ?? flow?.default_parameters.chip_id ?? flow?.chip_id;
    if (typeof chipId === 'string') {
      const chip = await dependencies.chip(projectId, chipId);
      if (!chip) return unavailable(`There is no chip ${chipId.slice(0, 64)} in this project.`);
      if (chip.activity_status !== 'active') return unavailable(`The chip ${chipId} is inactive.`);
    }
    const update = await dependencies.update();
    if (update) return unavailable(updateRunning(update).message);
    const holder = await dependencies.holder(projectId);
    if (!holder) return { available: true, reason: null };
    const execution = await dependencies.execution(projectId, holder.execution_id);
    const since = execution ? ` since ${isoTime(execution.start_at)}` : '';
    return unavailable(`The project is held by ${holderName(holder)}${since}.`);
  };
}
