import { type ExecutionDocument, executionNote } from '../../shared/domain/executions/model.ts';
import type { StoredParameter, TaskResultDocument } from '../../shared/domain/results/model.ts';
import { keyOf, NO_EXECUTION, NO_TASK, type ProjectId } from '../../shared/kernel/ids.ts';
import { newId } from '../../shared/kernel/new-ids.ts';
import { executionNamed, taskNamed, userNamed } from './ids.ts';

/** In whose name something was measured. */
interface Measurer {
  id: string;
  username: string;
}

/** A policy for T1 and Rabi measurements of two qubits. */
export const agentPolicy = {
  qids: ['0', '1'],
  allowed_tasks: ['CheckT1', 'CheckRabi'],
  allowed_overrides: {
    t1: { minimum: 10, maximum: 100 },
    readout_amplitude: { minimum: 0.05, maximum: 0.2 },
  },
  quality_gates: { r2: { minimum: 0.9 } },
  max_actions: 5,
};

/** An output of a task as stored on its result. */
export function measuredOutput(
  name: string,
  value: StoredParameter['value'],
  at = '2026-01-02T03:05:00.000Z',
) {
  return {
    parameter_name: name,
    qid_role: '',
    required: false,
    value,
    value_type: 'float',
    error: 0.5,
    unit: 'us',
    description: 'Relaxation time',
    calibrated_at: at,
    execution_id: NO_EXECUTION,
    task_id: NO_TASK,
  };
}

/** An execution of a laboratory that ended well. */
export function storedExecution(
  project: ProjectId,
  owner: Measurer,
  fields: Partial<ExecutionDocument> = {},
): ExecutionDocument {
  const execution_id = fields.execution_id ?? executionNamed('20260102-003');
  return {
    _id: keyOf(project, execution_id),
    project_id: project,
    execution_id,
    chip_id: 'CHIP',
    user_id: userNamed(owner.id),
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

/** A finished T1 measurement of qubit 0 of a chip. */
export function storedTask(
  project: ProjectId,
  owner: Measurer,
  fields: Partial<TaskResultDocument> = {},
): TaskResultDocument {
  const task_id = fields.task_id ?? taskNamed(newId());
  return {
    _id: keyOf(project, task_id),
    project_id: project,
    task_id: taskNamed(task_id),
    execution_id: executionNamed('20260102-000'),
    chip_id: 'CHIP',
    user_id: userNamed(owner.id),
    username: owner.username,
    name: 'CheckT1',
    task_type: 'qubit',
    qid: '0',
    stage: 0,
    index: 0,
    epoch: 1,
    attempt: 1,
    upstream_id: NO_TASK,
    source_task_id: NO_TASK,
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
        execution_id: executionNamed('20260102-000'),
        task_id: taskNamed(task_id),
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
