import type { Chip } from '../chips/model.ts';
import type { MaintenanceGraph } from './graph-rules.ts';
import type { MaintenanceGraphShown } from './model.ts';

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
