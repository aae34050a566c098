import { z } from 'zod';
import type { ProjectId } from '../../kernel/ids.ts';
import { integer, timestamp } from '../../kernel/wire.ts';
import { flowTemplate, jsonValue } from './model.ts';
import { type ParameterDeclarations, parameterDeclarations } from './parameter-model.ts';

/** Maximum size of the parameters of one run, in bytes of JSON. */
const MAX_PARAMETER_BYTES = 64 * 1024;

/** Parameters by name; any JSON value is passed to the flow. */
export const flowParameters = z
  .record(z.string(), jsonValue)
  .refine((given) => Buffer.byteLength(JSON.stringify(given)) <= MAX_PARAMETER_BYTES, {
    error: `must have at most ${MAX_PARAMETER_BYTES / 1024} KB as JSON`,
  });
export type FlowParameters = z.infer<typeof flowParameters>;

/** Tags of a flow or a run. */
export const tagList = z.array(z.string().max(100)).max(100);

/** Parameters of a run. `tags` must be a list of tags, because they also tag the run itself. */
export const parametersOfRun = flowParameters.superRefine((given, context) => {
  if (given.tags === undefined || given.tags === null || tagList.safeParse(given.tags).success) return;
  context.addIssue({
    code: 'custom',
    path: ['tags'],
    message: 'should be a list of at most 100 strings of at most 100 characters',
    params: { type: 'list_type' },
  });
});

/** Body of POST /flows. The store checks the name. */
export const newFlow = z.object({
  name: z.string(),
  code: z.string().min(1),
  chip_id: z.string().min(1),
  description: z.string().max(5000).default(''),
  flow_function_name: z
    .string()
    .nullable()
    .default(null)
    .describe("The exported async function; the flow's name when absent."),
  default_parameters: parametersOfRun.default({}),
  default_run_parameters: flowParameters.default({}),
  tags: tagList.default([]),
});
export type NewFlow = z.infer<typeof newFlow>;

export const savedFlowAnswer = z.object({ name: z.string(), file_path: z.string(), message: z.string() });
export type SavedFlowAnswer = z.infer<typeof savedFlowAnswer>;

/** Line of GET /flows. */
const flowItem = z
  .object({
    name: z.string(),
    created_by: z.string(),
    description: z.string(),
    chip_id: z.string(),
    flow_function_name: z.string(),
    created_at: timestamp,
    updated_at: timestamp,
    tags: z.array(z.string()),
    file_exists: z.boolean(),
  })
  .meta({ id: 'Flow' });
export type FlowItem = z.infer<typeof flowItem>;

export const flowList = z.object({ flows: z.array(flowItem) });
export type FlowList = z.infer<typeof flowList>;

const declared = parameterDeclarations
  .nullable()
  .describe('What the flow declares to take; null when it declares nothing and takes anything.');

/** Answer of GET /flows/{name}. */
export const flowDetail = flowItem
  .extend({
    code: z.string(),
    default_parameters: z.record(z.string(), jsonValue),
    default_run_parameters: z.record(z.string(), jsonValue),
    file_path: z.string(),
    parameters: declared,
  })
  .meta({ id: 'FlowDetail' });
export type FlowDetail = z.infer<typeof flowDetail>;

/** A template with its code. */
export const flowTemplateDetail = flowTemplate.extend({ code: z.string(), parameters: declared });
export type FlowTemplateDetail = z.infer<typeof flowTemplateDetail>;

/** Line of GET /flows/{name}/versions. */
const flowVersionItem = z
  .object({
    version_id: z.string().describe('Identifies the code: the same code has the same id.'),
    saved_by: z.string().describe('Who saved this code last.'),
    saved_at: timestamp,
    is_current: z.boolean(),
    flow_function_name: z.string(),
    description: z.string(),
    chip_id: z.string(),
    tags: z.array(z.string()),
  })
  .meta({ id: 'FlowVersion' });
export type FlowVersionItem = z.infer<typeof flowVersionItem>;

export const flowVersionPage = z.object({
  skip: integer({ min: 0 }).prefault(0),
  limit: integer({ min: 1, max: 200 }).prefault(50),
});
export type FlowVersionPage = z.infer<typeof flowVersionPage>;

export const flowVersionList = z.object({
  items: z.array(flowVersionItem).describe('Most recently saved first.'),
  total: z.number().int(),
  skip: z.number().int(),
  limit: z.number().int(),
});
export type FlowVersionList = z.infer<typeof flowVersionList>;

/** Answer of GET /flows/{name}/versions/{version_id}. */
export const flowVersionDetail = flowVersionItem
  .extend({
    code: z.string(),
    default_parameters: z.record(z.string(), jsonValue),
    default_run_parameters: z.record(z.string(), jsonValue),
  })
  .meta({ id: 'FlowVersionDetail' });
export type FlowVersionDetail = z.infer<typeof flowVersionDetail>;

/** A flow as stored; `_id` is `<project_id>/<name>`. `hash` names its current version. */
export interface FlowDocument {
  _id: string;
  project_id: ProjectId;
  name: string;
  /** The user who first saved it. */
  username: string;
  description: string;
  chip_id: string;
  flow_function_name: string;
  hash: string;
  /** Random, new with each save; absent in flows saved before revisions existed. */
  revision?: string;
  /** Null if the flow declares none; absent in flows saved before declarations existed. */
  parameters?: ParameterDeclarations | null;
  default_parameters: FlowParameters;
  default_run_parameters: FlowParameters;
  tags: string[];
  created_at: Date;
  updated_at: Date;
}

/** One version of a flow's code. Its code never changes; `_id` is `<project_id>/<name>/<hash>`. */
export interface FlowVersionDocument {
  _id: string;
  project_id: ProjectId;
  name: string;
  hash: string;
  source: string;
  javascript: string;
  function_name: string;
  author: string;
  created_at: Date;
  /** Set until a run uses it. */
  unused?: true;
  /** When this code was last saved. */
  saved_at?: Date;
  /** Set until a save has succeeded, and when the flow is deleted: hides it from lists. */
  unlisted?: true;
  /** The last successful save of this code; absent in versions saved before this field existed. */
  last_save?: FlowSave;
}

/** Who saved a version of a flow, when, and with which other fields. */
export interface FlowSave
  extends Pick<
    FlowDocument,
    | 'description'
    | 'chip_id'
    | 'flow_function_name'
    | 'default_parameters'
    | 'default_run_parameters'
    | 'tags'
  > {
  saved_by: string;
  at: Date;
}
