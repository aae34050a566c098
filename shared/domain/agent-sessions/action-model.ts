import { z } from 'zod';
import { executionIdSchema, type ProjectId } from '../../kernel/ids.ts';
import { boolean, integer, timestamp } from '../../kernel/wire.ts';
import { executionStatuses } from '../executions/status-rules.ts';
import { outputName } from '../results/model.ts';
import { actionTypes, proposal } from './model.ts';

/** Body of POST /agent-sessions/{session_id}/actions. */
export const newAction = proposal
  .extend({
    action_type: z.enum(actionTypes),
    task_name: z.string().max(200).default(''),
    qids: z.array(z.string().min(1).max(64)).max(4096).default([]),
    parameter_overrides: z
      .record(outputName, z.number())
      .refine((given) => Object.keys(given).length <= 200, 'must name at most 200 parameters')
      .default({}),
    diagnosis: z
      .string()
      .max(5000)
      .default('')
      .describe('Why the agent proposes it. It is stored, but never evaluated.'),
  })
  .superRefine((given, context) => {
    const { action_type, task_name, qids, parameter_overrides } = given;
    const refuse = (field: string, message: string) =>
      context.addIssue({ code: 'custom', path: [field], message });
    if (action_type === 'run_task') {
      if (task_name === '') refuse('task_name', 'must be given for run_task');
      if (qids.length === 0) refuse('qids', 'must be given for run_task');
      return;
    }
    if (task_name !== '') refuse('task_name', 'must be left out unless the action is run_task');
    if (qids.length > 0) refuse('qids', 'must be left out unless the action is run_task');
    if (Object.keys(parameter_overrides).length > 0)
      refuse('parameter_overrides', 'must be left out unless the action is run_task');
  });
export type NewAction = z.infer<typeof newAction>;

const decisions = ['authorized', 'rejected'] as const;
const actionExecutionStatus = z.enum(['not_started', 'dispatching', 'queued', ...executionStatuses]);

export const agentAction = z
  .object({
    action_id: z.string(),
    session_id: z.string(),
    idempotency_key: z.string(),
    action_type: z.enum(actionTypes),
    task_name: z.string(),
    qids: z.array(z.string()),
    parameter_overrides: z.record(z.string(), z.number()),
    diagnosis: z.string(),
    decision: z.enum(decisions),
    reason: z.string().describe('Why it was rejected or could not start; empty otherwise.'),
    execution_status: actionExecutionStatus.describe('After `queued` the status of its execution.'),
    operation_id: z.string().nullable().describe('Flow run of its execution.'),
    execution_id: executionIdSchema.nullable(),
    state_version_before: z.number().int(),
    state_version_after: z.number().int(),
    created_at: timestamp,
  })
  .meta({ id: 'AgentAction' });
export type AgentAction = z.infer<typeof agentAction>;

export const agentActionQuery = z.object({
  skip: integer({ min: 0 }).prefault(0),
  limit: integer({ min: 1, max: 500 }).prefault(200),
});
export const agentActionList = z.object({ items: z.array(agentAction), total: z.number().int() });

/** Body of POST /agent-sessions/{session_id}/actions/{action_id}/execute. */
export const executeAction = z.strictObject({
  source_execution_id: executionIdSchema
    .min(1)
    .max(200)
    .nullable()
    .default(null)
    .describe('The task starts from the inputs that it had there, if it ran there on this target.'),
  update_params: boolean()
    .prefault(false)
    .refine((given) => !given, 'must be false: values become calibration state by a commit only'),
  reconfigure: boolean().prefault(false).describe('Run the task Configure on the qubit first.'),
});
export type ExecuteAction = z.infer<typeof executeAction>;

/** An action as stored; `_id` is `<project_id>/<session_id>/<hash of its key>`. */
export interface ActionDocument extends Omit<AgentAction, 'created_at'> {
  _id: string;
  project_id: ProjectId;
  /** Hash of the proposal that was sent with its key. */
  fingerprint: string;
  created_at: Date;
  /** When its run was last requested. */
  dispatched_at: Date | null;
}
