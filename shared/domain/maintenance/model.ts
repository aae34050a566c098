import { z } from 'zod';
import { type ExecutionId, type ProjectId, taskIdSchema } from '../../kernel/ids.ts';
import { integer, repeated, timestamp } from '../../kernel/wire.ts';
import { checkOutcomes } from '../../tasks/check-model.ts';
import { taskType } from '../../tasks/model.ts';
import { targetKinds } from '../chips/model.ts';
import { maintainDecisions, maintainPhases } from './maintain-model.ts';
import { dependenceRoles } from './order-rules.ts';
import { valueStates } from './state-rules.ts';

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

const state = z
  .enum(valueStates)
  .describe(
    'fresh: holds; due: its window has passed; stale: something it depends on changed by more than its error, or it was edited; broken: a task that finds it failed since; unknown: never measured.',
  );

/** Query of GET /chips/{chip_id}/maintenance. */
export const maintenanceQuery = z.object({
  target_kind: kind.optional().describe('Only values of qubits, or of couplings.'),
  qid: repeated(z.string().max(100)).prefault([]).describe('Only of these targets; may be repeated.'),
  parameter_name: repeated(z.string().max(200)).prefault([]).describe('Only these; may be repeated.'),
  state: repeated(z.enum(valueStates)).prefault([]).describe('Only in these states; may be repeated.'),
  skip: integer({ min: 0 }).prefault(0),
  limit: integer({ min: 1, max: 1000 }).prefault(100),
});
export type MaintenanceQuery = z.infer<typeof maintenanceQuery>;

export const maintainedValue = z
  .object({
    target_kind: kind,
    qid: z.string(),
    parameter_name: z.string(),
    state,
    reason: z.string(),
    since: timestamp.nullable().describe('Since when it is in this state; null if it was never known.'),
    cause: z
      .object({ target_kind: kind, qid: z.string(), parameter_name: z.string() })
      .nullable()
      .describe('The value whose change made this one stale.'),
    value: z.union([z.number(), z.string()]).nullable(),
    error: z.number().nullable(),
    unit: z.string(),
    task_name: z.string().nullable().describe('What found the value, or how it was entered.'),
    task_id: taskIdSchema.nullable(),
    refinement: z.number().int(),
    found_at: timestamp.nullable(),
    due_at: timestamp.nullable().describe('End of its window; null unless a task found it.'),
    window_hours: z.number().nullable().describe('Hours for which the value holds, adjusted by its history.'),
    usual_window_hours: z.number().nullable().describe('Hours for which the value holds, by configuration.'),
  })
  .meta({ id: 'MaintainedValue' });
export type MaintainedValue = z.infer<typeof maintainedValue>;

/** GET /chips/{chip_id}/maintenance: qubits by number, then couplings, each in the order of calibration. */
export const maintainedValues = z
  .object({
    chip_id: z.string(),
    items: z.array(maintainedValue),
    total: z.number().int(),
    skip: z.number().int(),
    limit: z.number().int(),
  })
  .meta({ id: 'MaintainedValues' });
export type MaintainedValues = z.infer<typeof maintainedValues>;

/** Number of values in each state. */
const counts = z
  .object({
    fresh: z.number().int(),
    due: z.number().int(),
    stale: z.number().int(),
    broken: z.number().int(),
    unknown: z.number().int(),
  })
  .meta({ id: 'MaintenanceCounts' });

/** GET /chips/{chip_id}/maintenance/summary */
export const maintenanceSummary = z
  .object({
    chip_id: z.string(),
    states: counts,
    parameters: z.array(z.object({ target_kind: kind, parameter_name: z.string(), states: counts })),
  })
  .meta({ id: 'MaintenanceSummary' });
export type MaintenanceSummary = z.infer<typeof maintenanceSummary>;

/** Query of GET /executions/{execution_id}/maintenance/decisions. */
export const maintenanceDecisionQuery = z.object({
  qid: z.string().max(100).optional().describe('Only decisions about this target.'),
  task_name: z.string().max(200).optional().describe('Only decisions about this task.'),
  phase: z.enum(maintainPhases).optional(),
  decision: repeated(z.enum(maintainDecisions)).prefault([]).describe('Only these; may be repeated.'),
  skip: integer({ min: 0 }).prefault(0),
  limit: integer({ min: 1, max: 500 }).prefault(100),
});
export type MaintenanceDecisionQuery = z.infer<typeof maintenanceDecisionQuery>;

export const maintenanceDecision = z
  .object({
    sequence: z.number().int().describe('Numbers the decisions of the run from 0.'),
    made_at: timestamp,
    maintenance: z.number().int().describe('Which `session.maintain` of the run, from 0.'),
    phase: z
      .enum(maintainPhases)
      .describe(
        'start: what is known without a measurement; run: decided during the maintenance; end: the final result.',
      ),
    task_name: z.string(),
    targets: z.array(z.string()).describe('Qubits or couplings for which the same was decided.'),
    parameter_names: z
      .array(z.string())
      .describe('The values that did not hold when the maintenance began; all of the task if they did.'),
    state_before: z.enum(valueStates).describe('State of these values when the maintenance began.'),
    decision: z
      .enum(maintainDecisions)
      .describe(
        'holds: nothing to do; check; diagnose: check what it depends on first; calibrate; not_repaired: tried again later; postponed: the time is used up.',
      ),
    reason: z.string(),
    check: z
      .object({ outcome: z.enum(checkOutcomes), reason: z.string().nullable() })
      .nullable()
      .describe('The check that led to it; the reason is null if it was in specification.'),
  })
  .meta({ id: 'MaintenanceDecision' });
export type MaintenanceDecision = z.infer<typeof maintenanceDecision>;

/** GET /executions/{execution_id}/maintenance/decisions, in order. */
export const maintenanceDecisionList = z
  .object({
    items: z.array(maintenanceDecision),
    total: z.number().int(),
    skip: z.number().int(),
    limit: z.number().int(),
  })
  .meta({ id: 'MaintenanceDecisionList' });
export type MaintenanceDecisionList = z.infer<typeof maintenanceDecisionList>;

/** A decision of a run about a task on some targets. `_id` is `<project>/<execution>/<sequence>`. */
export interface DecisionDocument {
  _id: string;
  project_id: ProjectId;
  execution_id: ExecutionId;
  sequence: number;
  made_at: Date;
  maintenance: number;
  phase: MaintenanceDecision['phase'];
  task_name: string;
  targets: string[];
  parameter_names: string[];
  state_before: MaintenanceDecision['state_before'];
  decision: MaintenanceDecision['decision'];
  reason: string;
  check: MaintenanceDecision['check'];
}

/** A decision as it is added to a run. */
export type NewDecision = Omit<DecisionDocument, '_id' | 'project_id' | 'execution_id'>;
