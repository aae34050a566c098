import { z } from 'zod';
import { executionIdSchema } from '../../kernel/ids.ts';
import { integer, timestamp } from '../../kernel/wire.ts';

const page = {
  skip: integer({ min: 0 }).prefault(0),
  limit: integer({ min: 1, max: 1000 }).prefault(100),
};

export const deploymentPage = z.object(page);
export type DeploymentPage = z.infer<typeof deploymentPage>;

export const deployedRunPage = z.object({
  ...page,
  rollback_to: z
    .string()
    .max(200)
    .optional()
    .describe('Build id of a version: lists only runs that its promotion would stop, or might stop.'),
});
export type DeployedRunPage = z.infer<typeof deployedRunPage>;

const listed = { total: z.number().int(), skip: z.number().int(), limit: z.number().int() };

const deploymentState = z.enum([
  'current',
  'ramping',
  'draining',
  'drained',
  'not_used',
  'without_version',
  'unknown',
]);

const deployedWorker = z.object({ identity: z.string(), seen_at: timestamp.nullable() });

export const deploymentVersion = z
  .object({
    build_id: z
      .string()
      .nullable()
      .describe('Digest of the workflow code; null for workers without a version.'),
    state: deploymentState.describe(
      'current: starts runs; draining: still has open workflows; drained: has none, so its workers may be stopped.',
    ),
    created_at: timestamp.nullable(),
    current_since: timestamp.nullable(),
    workers: z.array(deployedWorker).describe('Those that polled within the last 75 seconds.'),
    open_runs: z
      .number()
      .int()
      .describe('Runs that it carries out, or of which it carries out the open stage.'),
  })
  .meta({ id: 'DeploymentVersion' });
export type DeploymentVersion = z.infer<typeof deploymentVersion>;

/** GET /admin/deployments: the current version, then the newest first. */
export const deploymentVersionList = z
  .object({
    deployment: z.string().nullable().describe('Null if workers have no versions.'),
    current: z.string().nullable().describe('Null if workers without a version start runs.'),
    items: z.array(deploymentVersion),
    ...listed,
  })
  .meta({ id: 'DeploymentVersionList' });
export type DeploymentVersionList = z.infer<typeof deploymentVersionList>;

const rollback = z
  .object({
    effect: z.enum(['stops', 'may_stop']),
    reason: z.string(),
  })
  .meta({ id: 'RollbackEffect' });
export type RollbackEffect = z.infer<typeof rollback>;

const deployedRun = z
  .object({
    project_id: z.string(),
    execution_id: executionIdSchema,
    chip_id: z.string(),
    started_at: timestamp,
    build_id: z.string().nullable().describe('The version that last carried it on; null without versions.'),
    is_pinned: z.boolean().describe('Whether it stays with this version, whichever one is promoted.'),
    stages: z
      .array(z.string().nullable())
      .describe('For each open stage, the version with which it stays; null without versions.'),
    rollback: rollback
      .nullable()
      .describe('With `rollback_to`: what a promotion of that version does to it.'),
  })
  .meta({ id: 'DeployedRun' });
export type DeployedRun = z.infer<typeof deployedRun>;

/** GET /admin/deployments/runs: the oldest first. */
export const deployedRunList = z
  .object({ items: z.array(deployedRun), ...listed })
  .meta({ id: 'DeployedRunList' });
export type DeployedRunList = z.infer<typeof deployedRunList>;
