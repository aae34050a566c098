import type { Areas } from '../../shared/domain/areas.ts';
import type { ExecutionRequestDocument } from '../../shared/domain/executions/model.ts';
import type { JsonValue } from '../../shared/domain/flows/model.ts';
import type { StartedRun } from '../../shared/domain/runs/model.ts';
import type { RunOrder } from '../../shared/domain/runs/run-order.ts';
import { createRunStarter } from '../../shared/domain/runs/start.ts';
import type { Settings } from '../../shared/domain/settings.ts';
import type { Kernel } from '../../shared/kernel/area.ts';
import { NO_TASK, type ProjectId } from '../../shared/kernel/ids.ts';
import { userNamed } from './ids.ts';

/** Who works in laboratories. */
export const ada = { _id: userNamed('usr_ada'), username: 'ada' };

/** What ada asks for over the API. */
function orderOf(
  { projectId }: { projectId: ProjectId },
  {
    idempotencyKey,
    ...options
  }: Partial<Pick<RunOrder, 'idempotencyKey' | 'priority' | 'allowPreemption'>> = {},
): RunOrder {
  return { projectId, user: ada, idempotencyKey, ...options };
}

/** How tests start runs in ada's name, on what a laboratory is made of. */
export function createRunStarts({
  db,
  engine,
  settings,
  areas,
  historyLimit,
}: Pick<Kernel<Settings>, 'db' | 'engine' | 'settings'> & {
  areas: Areas;
  historyLimit: number | undefined;
}) {
  const { flows } = areas;
  const start = createRunStarter({
    db,
    engine,
    settings,
    executions: areas.executions.store,
    flows,
    gate: areas.updateGate,
    account: areas.accounts.users.find,
    historyLimit,
  });

  /** Saves a flow, as the API does. Its function is `flow` unless named. @returns what starts it */
  async function saveFlow(
    place: { projectId: ProjectId; chipId: string },
    code: string,
    options: {
      parameters?: Record<string, JsonValue>;
      idempotencyKey?: string;
      priority?: number;
      allowPreemption?: boolean;
      backend?: string;
      functionName?: string;
      defaultRunParameters?: Record<string, JsonValue>;
    } = {},
  ): Promise<() => Promise<StartedRun>> {
    const name = 'nightly';
    const { functionName = 'flow', defaultRunParameters = {} } = options;
    await flows.save(place.projectId, 'ada', {
      name,
      description: '',
      code,
      flow_function_name: functionName,
      chip_id: place.chipId,
      default_parameters: {},
      default_run_parameters: defaultRunParameters,
      tags: [],
    });
    const saved = await flows.get(place.projectId, name);
    if (!saved) throw new Error('the flow was not saved');
    const request = {
      flow: { name, hash: saved.hash, function_name: functionName },
      parameters: options.parameters ?? {},
      default_run_parameters: defaultRunParameters,
      task: null,
    };
    return () =>
      start(orderOf(place, options), [name, request], async () => ({
        run: { chip_id: place.chipId, name, backend: options.backend ?? 'simulator', tags: [] },
        request,
      }));
  }

  return {
    saveFlow,

    /** Saves a flow and starts it. */
    startFlow: async (...given: Parameters<typeof saveFlow>): Promise<StartedRun> =>
      (await saveFlow(...given))(),

    /** Starts one task; by default its outputs become calibration state. */
    startTask(
      place: { projectId: ProjectId; chipId: string },
      task: string,
      qid: string,
      options: Partial<NonNullable<ExecutionRequestDocument['task']>> &
        Pick<RunOrder, 'priority'> & { backend?: string; idempotencyKey?: string } = {},
    ): Promise<StartedRun> {
      const { backend = 'simulator', priority, idempotencyKey, ...wanted } = options;
      return start(orderOf(place, { priority, idempotencyKey }), [], async () => ({
        run: { chip_id: place.chipId, name: `quick-run:${task}`, backend, tags: [] },
        request: {
          flow: null,
          parameters: {},
          default_run_parameters: {},
          task: {
            name: task,
            qid,
            input_overrides: {},
            run_overrides: {},
            source_task_id: NO_TASK,
            from_snapshot: false,
            reconfigure: false,
            persist: true,
            ...wanted,
          },
        },
      }));
    },
  };
}
