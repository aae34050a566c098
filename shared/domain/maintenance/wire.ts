import type { Chip } from '../chips/model.ts';
import type { MaintenanceGraph } from './graph-rules.ts';
import type {
  DecisionDocument,
  MaintainedValue,
  MaintenanceDecision,
  MaintenanceGraphShown,
} from './model.ts';
import type { JudgedValue } from './state-rules.ts';

export function graphShown(
  { chip_id, qubit_count, coupling_count }: Pick<Chip, 'chip_id' | 'qubit_count' | 'coupling_count'>,
  { nodes, edges, tasks }: MaintenanceGraph,
): MaintenanceGraphShown {
  return {
    chip_id,
    nodes: [...nodes.values()].map(({ id, kind, parameter, refinement, task, unit }) => ({
      node_id: id,
      target_kind: kind,
      parameter_name: parameter,
      refinement,
      task_name: task,
      unit,
      targets: kind === 'qubit' ? qubit_count : coupling_count,
    })),
    edges: [...edges],
    tasks: tasks.map(({ task, depth, reads, writes, dependsOn }) => ({
      task_name: task.name,
      task_type: task.taskType,
      category: task.category,
      depth,
      reads: reads.map(({ node, role }) => ({ node_id: node, role })),
      writes,
      depends_on: dependsOn,
    })),
  };
}

export function valueShown(judged: JudgedValue): MaintainedValue {
  const { current, window, cause } = judged;
  return {
    target_kind: judged.kind,
    qid: judged.qid,
    parameter_name: judged.parameter,
    state: judged.state,
    reason: judged.reason,
    since: judged.since?.toISOString() ?? null,
    cause: cause && { target_kind: cause.kind, qid: cause.qid, parameter_name: cause.parameter },
    value: current?.value ?? null,
    error: current?.error ?? null,
    unit: current?.unit ?? '',
    task_name: current?.task ?? null,
    task_id: current?.taskId ?? null,
    refinement: judged.refinement,
    found_at: current?.at.toISOString() ?? null,
    due_at: judged.dueAt?.toISOString() ?? null,
    window_hours: window?.hours ?? null,
    usual_window_hours: window?.usualHours ?? null,
  };
}

export function decisionShown({
  _id,
  project_id,
  execution_id,
  made_at,
  ...rest
}: DecisionDocument): MaintenanceDecision {
  return { ...rest, made_at: made_at.toISOString() };
}
