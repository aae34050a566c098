import { z } from 'zod';

const relationType = z.enum(['wasGeneratedBy', 'wasDerivedFrom', 'used']);
const nodeType = z.enum(['entity', 'activity']);

/** One version of a calibration parameter. */
export const parameterVersion = z.object({
  entity_id: z.string(),
  parameter_name: z.string(),
  qid: z.string(),
  value: z.union([z.number(), z.string()]),
  value_type: z.string(),
  unit: z.string(),
  error: z.number().nullable(),
  version: z.number().int(),
  valid_from: z.string(),
  valid_until: z.string().nullable(),
  execution_id: z.string(),
  task_id: z.string(),
  task_name: z.string(),
  project_id: z.string(),
  chip_id: z.string(),
});
export type ParameterVersion = z.infer<typeof parameterVersion>;

export const provenanceActivity = z.object({
  activity_id: z.string(),
  execution_id: z.string(),
  task_id: z.string(),
  task_name: z.string(),
  task_type: z.string(),
  qid: z.string(),
  started_at: z.string().nullable(),
  ended_at: z.string().nullable(),
  status: z.string(),
  project_id: z.string(),
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
  /** Number of the current version, when it is newer than this one. */
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

export interface EntityDocument extends Omit<ParameterVersion, 'valid_from' | 'valid_until'> {
  /** `<project_id>/<entity_id>` */
  _id: string;
  valid_from: Date;
  valid_until: Date | null;
}

export interface ActivityDocument extends Omit<ProvenanceActivity, 'started_at' | 'ended_at'> {
  _id: string;
  started_at: Date | null;
  ended_at: Date | null;
}

export interface RelationDocument extends LineageEdge {
  /** `<project_id>/<type>:<source>:<target>` */
  _id: string;
  project_id: string;
  source_type: z.infer<typeof nodeType>;
  target_type: z.infer<typeof nodeType>;
}
