import { z } from 'zod';
import { type ProjectId, projectIdSchema, type UserId } from '../../kernel/ids.ts';
import { boolean, integer, timestamp } from '../../kernel/wire.ts';
import { outputName } from '../results/model.ts';
import { priorityMeaning } from '../runs/model.ts';

/** In order of life. `waiting_for_human` ends by resume or cancel. */
const sessionStatuses = ['active', 'waiting_for_human', 'completed', 'cancelled', 'expired'] as const;
export type SessionStatus = (typeof sessionStatuses)[number];
/** Sessions in these states expire. */
export const openSessionStatuses = ['active', 'waiting_for_human'] as const satisfies SessionStatus[];

export const actionTypes = ['run_task', 'request_human', 'complete_session'] as const;
export type ActionType = (typeof actionTypes)[number];

/** Unique items in their given order. */
const distinct = <Item extends z.ZodType>(item: Item, limits: { min: number; max: number }) =>
  z
    .array(item)
    .min(limits.min)
    .max(limits.max)
    .transform((items) => [...new Set(items)]);

/** Inclusive; null leaves a side open. */
export const bound = z
  .object({ minimum: z.number().nullable().default(null), maximum: z.number().nullable().default(null) })
  .refine(({ minimum, maximum }) => minimum !== null || maximum !== null, 'must have a minimum or a maximum')
  .refine(
    ({ minimum, maximum }) => minimum === null || maximum === null || minimum <= maximum,
    'must have a minimum that is not above the maximum',
  );
export type PolicyBound = z.infer<typeof bound>;
const bounds = z
  .record(outputName, bound)
  .refine((given) => Object.keys(given).length <= 200, 'must name at most 200 parameters');

/** What an agent may do in a session. Fixed when the session is created. */
export const givenPolicy = z.object({
  qids: distinct(z.string().min(1).max(64), { min: 1, max: 4096 }).describe('Targets that it may measure.'),
  allowed_tasks: distinct(z.string().min(1).max(200), { min: 1, max: 500 }),
  allowed_actions: distinct(z.enum(actionTypes), { min: 1, max: 20 })
    .prefault([...actionTypes])
    .describe('Actions that may be authorized; completing the session is always allowed.'),
  allowed_overrides: bounds
    .default({})
    .describe('Parameters that it may set for a measurement and commit, with inclusive bounds.'),
  quality_gates: bounds
    .default({})
    .describe(
      'Quality metrics that a result must have, with inclusive bounds, for its values to be committed.',
    ),
  allow_reconfigure: boolean().prefault(false).describe('Whether Configure may run before a task.'),
  max_actions: integer({ min: 1, max: 10_000 }).prefault(100).describe('Actions that may be authorized.'),
  priority: integer({ min: 0, max: 9 }).optional().describe(`${priorityMeaning} Default 0.`),
});

const shownBounds = z.record(
  z.string(),
  z.object({ minimum: z.number().nullable(), maximum: z.number().nullable() }),
);

/** A policy with its defaults filled in. */
const agentPolicy = z
  .object({
    qids: z.array(z.string()),
    allowed_tasks: z.array(z.string()),
    allowed_actions: z.array(z.enum(actionTypes)),
    allowed_overrides: shownBounds,
    quality_gates: shownBounds,
    allow_reconfigure: z.boolean(),
    max_actions: z.number().int(),
    priority: z.number().int().optional().describe('Absent if none was given.'),
  })
  .meta({ id: 'AgentPolicy' });
export type AgentPolicy = z.infer<typeof agentPolicy>;

/** Body of POST /agent-sessions. */
export const newAgentSession = z.object({
  chip_id: z.string().min(1).max(200),
  policy: givenPolicy,
  expires_in_seconds: integer({ min: 60, max: 86_400 }).prefault(21_600),
  skill_name: z.string().max(200).default(''),
  skill_version: z.string().max(200).default(''),
  skill_hash: z.string().max(256).default(''),
  model_name: z.string().max(300).default(''),
});
export type NewAgentSession = z.infer<typeof newAgentSession>;

export const agentSession = z
  .object({
    session_id: z.string(),
    project_id: projectIdSchema,
    chip_id: z.string(),
    created_by: z.string(),
    policy: agentPolicy,
    skill_name: z.string(),
    skill_version: z.string(),
    skill_hash: z.string(),
    model_name: z.string(),
    status: z.enum(sessionStatuses),
    state_version: z.number().int().describe('Raised by each action, commit, resume and cancel.'),
    action_count: z.number().int().describe('Authorized actions, of at most `policy.max_actions`.'),
    created_at: timestamp,
    updated_at: timestamp,
    expires_at: timestamp,
  })
  .meta({ id: 'AgentSession' });
export type AgentSession = z.infer<typeof agentSession>;

export const agentSessionQuery = z.object({
  chip_id: z.string().optional(),
  status: z.enum(sessionStatuses).optional(),
  skip: integer({ min: 0 }).prefault(0),
  limit: integer({ min: 1, max: 200 }).prefault(50),
});
export type AgentSessionQuery = z.infer<typeof agentSessionQuery>;

export const agentSessionList = z.object({
  items: z.array(agentSession),
  total: z.number().int(),
  skip: z.number().int(),
  limit: z.number().int(),
});

/** Body of POST /agent-sessions/{session_id}/candidate-gate. */
export const gateQuestion = z.object({ parameter_name: z.string().min(1).max(200), value: z.number() });

/** Relation of a value to the bounds of a session; bounds are null if the session has none. */
export const gateAnswer = z
  .object({
    session_id: z.string(),
    parameter_name: z.string(),
    value: z.number(),
    accepted: z.boolean(),
    reason: z.string().describe('Why the candidate is not accepted; empty if it is.'),
    minimum: z.number().nullable(),
    maximum: z.number().nullable(),
  })
  .meta({ id: 'AgentGate' });
export type GateAnswer = z.infer<typeof gateAnswer>;

/** Sent with every change of a session: the same key with the same body returns the same answer. */
export const proposal = z.object({
  idempotency_key: z.string().min(1).max(128),
  expected_state_version: integer({ min: 0 }).describe('The `state_version` that the proposal was made on.'),
});

/** A session as stored; `_id` is `<project_id>/<session_id>`. */
export interface SessionDocument {
  _id: string;
  project_id: ProjectId;
  session_id: string;
  chip_id: string;
  created_by: string;
  created_by_user_id: UserId;
  policy: AgentPolicy;
  skill_name: string;
  skill_version: string;
  skill_hash: string;
  model_name: string;
  status: SessionStatus;
  state_version: number;
  action_count: number;
  created_at: Date;
  updated_at: Date;
  expires_at: Date;
}
