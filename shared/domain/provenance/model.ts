import { z } from 'zod';
import {
  executionIdSchema,
  type ProjectId,
  projectIdSchema,
  taskIdSchema,
  type UserId,
} from '../../kernel/ids.ts';
import { timestamp } from '../../kernel/wire.ts';

export const relationTypes = ['wasGeneratedBy', 'wasDerivedFrom', 'used'] as const;
const relationType = z.enum(relationTypes);
const nodeType = z.enum(['entity', 'activity']);

/** One version of a calibration parameter. */
export const parameterVersion = z.object({
  entity_id: z.string(),
  parameter_name: z.string(),
  qid: z.string(),
  value: z.union([z.number(), z.string()]),
  value_type: z.string(),
  unit: z.string(),
  error: z.number().describe('0 if unknown.'),
  version: z.number().int(),
  valid_from: timestamp,
  valid_until: timestamp.nullable(),
  execution_id: executionIdSchema,
  task_id: taskIdSchema,
  task_name: z.string(),
  project_id: projectIdSchema,
  chip_id: z.string(),
});
export type ParameterVersion = z.infer<typeof parameterVersion>;

export const provenanceActivity = z.object({
  activity_id: z.string(),
  execution_id: executionIdSchema,
  task_id: taskIdSchema,
  task_name: z.string(),
  task_type: z.string(),
  qid: z.string(),
  started_at: timestamp.nullable(),
  ended_at: timestamp.nullable(),
  status: z.string(),
  project_id: projectIdSchema,
  chip_id: z.string(),
});
export type ProvenanceActivity = z.infer<typeof provenanceActivity>;

/** GET /provenance/history: newest version first; `total_versions` counts all of them. */
export const provenanceHistory = z.object({
  parameter_name: z.string(),
  qid: z.string(),
  versions: z.array(parameterVersion),
  total_versions: z.number().int(),
});
export type ProvenanceHistory = z.infer<typeof provenanceHistory>;

export const lineageNode = z.object({
  node_type: nodeType,
  node_id: z.string(),
  /** Edges between this node and the origin. */
  depth: z.number().int(),
  entity: parameterVersion.nullable(),
  activity: provenanceActivity.nullable(),
  /** Number of the current version if it is newer than this one. */
  latest_version: z.number().int().nullable(),
});
export type LineageNode = z.infer<typeof lineageNode>;

export const lineageEdge = z.object({
  relation_type: relationType,
  source_id: z.string(),
  target_id: z.string(),
});
export type LineageEdge = z.infer<typeof lineageEdge>;

/** GET /provenance/lineage: edges always have PROV direction and both ends among the nodes. */
export const lineage = z.object({
  origin: lineageNode,
  nodes: z.array(lineageNode),
  edges: z.array(lineageEdge),
  max_depth: z.number().int(),
  truncated: z.boolean(),
});
export type Lineage = z.infer<typeof lineage>;

/** GET /provenance/recommendations: tasks to run again, nearest to the changed value first. */
export const recommendations = z.object({
  source_entity_id: z.string(),
  source_parameter_name: z.string(),
  source_qid: z.string(),
  recommended_tasks: z.array(
    z.object({
      task_name: z.string(),
      priority: z.number().int().describe('1 comes first.'),
      affected_parameters: z.array(z.string()),
      affected_qids: z.array(z.string()),
      reason: z.string(),
    }),
  ),
  total_affected_parameters: z.number().int(),
  max_depth_reached: z.number().int(),
});
export type Recommendations = z.infer<typeof recommendations>;

const value = z.union([z.number(), z.string()]);

/** One parameter in two executions; null if an execution has no value, or for differences of values that are not numbers. */
export const comparedParameter = z.object({
  parameter_name: z.string(),
  qid: z.string(),
  value_before: value.nullable(),
  value_after: value.nullable(),
  error_before: z.number().nullable().describe('Standard error; null if unknown.'),
  error_after: z.number().nullable().describe('Standard error; null if unknown.'),
  unit: z.string(),
  delta: z.number().nullable(),
  delta_percent: z.number().nullable(),
});
export type ComparedParameter = z.infer<typeof comparedParameter>;

/** GET /provenance/compare; lists by parameter, then by qubit. */
export const comparison = z.object({
  execution_id_before: z.string(),
  execution_id_after: z.string(),
  added_parameters: z.array(comparedParameter),
  removed_parameters: z.array(comparedParameter),
  changed_parameters: z.array(comparedParameter),
  unchanged_count: z.number().int(),
});
export type Comparison = z.infer<typeof comparison>;

/** GET /provenance/stats; relation types without relations are left out. */
export const provenanceStats = z.object({
  total_entities: z.number().int(),
  total_activities: z.number().int(),
  total_relations: z.number().int(),
  relation_counts: z.record(z.string(), z.number().int()),
  recent_entities: z.array(parameterVersion),
});
export type ProvenanceStats = z.infer<typeof provenanceStats>;

/** GET /provenance/executions: executions that made versions, newest first. */
export const provenanceExecutions = z.object({
  executions: z.array(
    z.object({
      execution_id: executionIdSchema,
      valid_from: timestamp.describe('Start of its newest version.'),
    }),
  ),
});
export type ProvenanceExecutions = z.infer<typeof provenanceExecutions>;

export const parameterChange = z.object({
  entity_id: z.string(),
  parameter_name: z.string(),
  chip_id: z.string(),
  qid: z.string(),
  value,
  previous_value: value.nullable(),
  delta: z.number().nullable(),
  delta_percent: z.number().nullable(),
  unit: z.string(),
  error: z.number(),
  previous_error: z.number().nullable(),
  version: z.number().int(),
  valid_from: timestamp,
  task_name: z.string(),
  execution_id: executionIdSchema,
});

/** GET /provenance/changes: versions that replaced another one, newest first; `total_count` counts all of them. */
export const parameterChanges = z.object({
  changes: z.array(parameterChange),
  total_count: z.number().int(),
});
export type ParameterChanges = z.infer<typeof parameterChanges>;

export const degradationTrend = z.object({
  parameter_name: z.string(),
  chip_id: z.string(),
  qid: z.string(),
  evaluation_mode: z.enum(['maximize', 'minimize']),
  streak_count: z.number().int().describe('Steps in a row that were strictly worse.'),
  total_delta: z.number(),
  total_delta_percent: z.number().nullable(),
  delta_per_step: z.number(),
  current_value: z.number(),
  current_entity_id: z.string(),
  unit: z.string(),
  values: z.array(z.number()).describe('Oldest first.'),
  valid_from: timestamp,
});
export type DegradationTrend = z.infer<typeof degradationTrend>;

/** GET /provenance/degradation-trends: longest streak first; `total_count` counts all of them. */
export const degradationTrends = z.object({
  trends: z.array(degradationTrend),
  total_count: z.number().int(),
});
export type DegradationTrends = z.infer<typeof degradationTrends>;

export interface EntityDocument extends Omit<ParameterVersion, 'error' | 'valid_from' | 'valid_until'> {
  /** `<project_id>/<entity_id>` */
  _id: string;
  error: number | null;
  valid_from: Date;
  valid_until: Date | null;
  /** Entity id of the parameter's previous version, null for its first; versions of 0.2.0 have no such field. */
  previous?: string | null;
}

/** The user who ran a task or entered a value. */
export interface Agent {
  user_id: UserId;
  username: string;
}

export interface ActivityDocument extends Omit<ProvenanceActivity, 'started_at' | 'ended_at'> {
  _id: string;
  /** Null if the agent is unknown; activities of 0.2.0 have no such field. */
  agent?: Agent | null;
  /** Entity ids of the versions that the activity used; activities of 0.2.0 have no such field. */
  used?: readonly string[];
  started_at: Date | null;
  ended_at: Date | null;
}

export interface RelationDocument extends LineageEdge {
  /** `<project_id>/<type>:<source>:<target>` */
  _id: string;
  project_id: ProjectId;
  source_type: z.infer<typeof nodeType>;
  target_type: z.infer<typeof nodeType>;
}
