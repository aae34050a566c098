import { z } from 'zod';
import { taskType } from '../../tasks/model.ts';
import { targetKinds } from '../chips/model.ts';
import { dependenceRoles } from './order-rules.ts';

const kind = z.enum(targetKinds);
const role = z
  .enum(dependenceRoles)
  .describe(
    'Whose value is read: of the target itself, or of a qubit of the coupling or the coupling itself.',
  );

export const graphNode = z.object({
  node_id: z.string().describe('`{target_kind}/{parameter_name}#{refinement}`'),
  target_kind: kind,
  parameter_name: z.string(),
  refinement: z.number().int().describe('0: as it was entered; n: found by the n-th task that refines it.'),
  task_name: z.string().nullable().describe('The task that finds it; null for refinement 0.'),
  unit: z.string(),
  targets: z.number().int().describe('Number of targets of this chip that have such a value.'),
});

export const graphEdge = z.object({ from: z.string(), to: z.string(), role });

export const graphTask = z.object({
  task_name: z.string(),
  task_type: taskType,
  category: z.string(),
  depth: z.number().int().describe('Longest chain of tasks that must come before.'),
  reads: z.array(z.object({ node_id: z.string(), role })),
  writes: z.array(z.string()).describe('Node ids; empty for a task that only checks what it reads.'),
  depends_on: z.array(z.string()).describe('Names of the tasks whose values it reads.'),
});

/** GET /chips/{chip_id}/maintenance/graph; tasks in the order of calibration, edges from what is read to what is found. */
export const maintenanceGraphShown = z
  .object({
    chip_id: z.string(),
    nodes: z.array(graphNode),
    edges: z.array(graphEdge),
    tasks: z.array(graphTask),
  })
  .meta({ id: 'MaintenanceGraph' });
export type MaintenanceGraphShown = z.infer<typeof maintenanceGraphShown>;
