import { type ExecutionDocument, executionNote } from '../../shared/domain/executions/model.ts';
import type { TaskResultDocument } from '../../shared/domain/results/model.ts';
import { lockWorkflowId } from '../../shared/kernel/engine/workflow-ids.ts';
import { keyOf, newId } from '../../shared/kernel/ids.ts';
import type { Api, Person } from './harness.ts';

/** Code of the flow `rabi` that every laboratory has. */
export const code = `import type { Session } from 'calibron';

export async function rabi(session: Session) {
  await session.run({ name: 'Rabi', tasks: ['CheckRabi'], targets: session.targets.all() });
}
`;

export type Laboratory = Awaited<ReturnType<typeof makeLaboratory>>;

/** A project with a chip and a flow, held by nobody. No worker runs, so a started run stays open. */
export async function makeLaboratory(api: Api, owner: Person, viewer: Person) {
  const project = await api.makeProject(owner);
  await api.addMember(project, viewer, 'viewer');
  const as = api.as(owner, project);
  await as('/chips', { method: 'POST', body: { chip_id: 'CHIP', size: 16 } });
  await as('/flows', {
    method: 'POST',
    body: { name: 'rabi', code, chip_id: 'CHIP', tags: ['daily'], default_parameters: { a: 1, b: 2 } },
  });
  const execute = (body?: unknown, headers: Record<string, string> = {}) =>
    as('/flows/rabi/execute', { method: 'POST', headers, ...(body !== undefined && { body }) });
  /** Ends the run that holds the project. */
  const free = () => api.engine.client.workflow.getHandle(lockWorkflowId(project)).terminate('test');
  return { project, as, execute, free };
}

/** An execution of a laboratory that ended well. */
export function storedExecution(
  project: string,
  owner: Person,
  fields: Partial<ExecutionDocument> = {},
): ExecutionDocument {
  const execution_id = fields.execution_id ?? '20260102-003';
  return {
    _id: keyOf(project, execution_id),
    project_id: project,
    execution_id,
    chip_id: 'CHIP',
    user_id: owner.id,
    username: owner.username,
    name: 'rabi',
    backend: 'simulator',
    trigger: 'api',
    calib_data_path: '/nowhere',
    status: 'completed',
    message: 'All is well.',
    tags: ['daily'],
    note: executionNote.parse({ flow_run_id: newId(), stages: { Rabi: { completed: 16, total: 16 } } }),
    start_at: new Date('2026-01-02T03:04:05.678Z'),
    end_at: new Date('2026-01-02T05:05:05.678Z'),
    elapsed_time: 7260.9,
    cancel_requested_at: null,
    created_at: new Date('2026-01-02T03:04:05.678Z'),
    ...fields,
  };
}

/** A finished T1 measurement of qubit 0 of a laboratory's chip. */
export function storedTask(
  project: string,
  owner: Person,
  fields: Partial<TaskResultDocument> = {},
): TaskResultDocument {
  const task_id = fields.task_id ?? newId();
  return {
    _id: keyOf(project, task_id),
    project_id: project,
    task_id,
    execution_id: '20260102-000',
    chip_id: 'CHIP',
    user_id: owner.id,
    username: owner.username,
    name: 'CheckT1',
    task_type: 'qubit',
    qid: '0',
    stage: 0,
    index: 0,
    epoch: 1,
    attempt: 1,
    upstream_id: '',
    source_task_id: '',
    status: 'completed',
    message: '',
    stack_trace: '',
    input_parameters: {},
    output_parameters: {
      t1: {
        parameter_name: 't1',
        qid_role: '',
        required: false,
        value: 51.5,
        value_type: 'float',
        error: null,
        unit: 'µs',
        description: 'Relaxation time',
        calibrated_at: '2026-01-02T03:05:00.000Z',
        execution_id: '20260102-000',
        task_id,
      },
    },
    output_parameter_names: ['t1'],
    run_parameters: { shots: { value: 1024, value_type: 'int', unit: '', description: 'Shots' } },
    quality_metrics: { r2: 0.98 },
    note: {},
    user_note: null,
    figure_path: ['/data/fig/a.png'],
    json_figure_path: ['/data/fig/a.json'],
    raw_data_path: ['/data/raw_data/a.nc'],
    tags: ['daily'],
    cooldown_id: null,
    start_at: new Date('2026-01-02T03:04:05.678Z'),
    end_at: new Date('2026-01-02T03:05:15.678Z'),
    elapsed_time: 70,
    used_entities: [],
    deadline: null,
    created_at: new Date('2026-01-02T03:04:05.678Z'),
    ...fields,
  };
}
