import { z } from 'zod';
import { timestamp } from '../../kernel/wire.ts';

/** States of an update; `idle` is the installation's before its first. */
export const updateState = z.enum([
  'idle',
  'queued',
  'running',
  'rolling_back',
  'succeeded',
  'failed',
  'rolled_back',
]);

/** What an update is doing, or how it ended. */
export const updateStage = z.enum([
  'queued',
  'preflight',
  'stopping',
  'fast-forward',
  'deploying',
  'health-check',
  'complete',
  'rollback',
  'rolled-back',
  'failed',
  'rollback-failed',
  'interrupted',
]);
export type UpdateStage = z.infer<typeof updateStage>;

/** States of an update that was asked for. */
export type UpdateState = Exclude<z.infer<typeof updateState>, 'idle'>;

/** How the installation stands. */
export const updateStatus = z
  .object({
    enabled: z.boolean().describe('Whether this installation has an updater.'),
    current_version: z
      .string()
      .describe('The version at which the working tree stands; without one, the beginning of its commit.'),
    current_commit: z.string(),
    latest_version: z
      .string()
      .nullable()
      .describe('The newer version that an update would install, else the newest that there is.'),
    update_available: z.boolean(),
    can_update: z.boolean(),
    dirty: z.boolean().describe('Whether files of the working tree were changed by hand.'),
    blocked_reason: z.string().nullable().describe('Why no update can be started.'),
    operation_id: z.string().nullable().describe('The last update.'),
    operation_state: updateState,
    checked_at: timestamp,
  })
  .meta({ id: 'SystemUpdateStatus' });
export type UpdateStatus = z.infer<typeof updateStatus>;

/** An update that was asked for. */
export const updateOperation = z
  .object({
    operation_id: z.string(),
    state: updateState,
    source_version: z.string(),
    target_version: z.string(),
    stage: updateStage,
    message: z.string(),
    progress: z.number().int().min(0).max(100),
    started_at: timestamp,
    updated_at: timestamp,
    completed_at: timestamp.nullable(),
    log_tail: z.array(z.string()).describe('The newest lines of what its commands printed.'),
  })
  .meta({ id: 'SystemUpdateOperation' });
export type UpdateOperation = z.infer<typeof updateOperation>;

/** Body of a request for an update. */
export const startUpdate = z.strictObject({
  expected_current_version: z
    .string()
    .max(100)
    .nullish()
    .describe('The update is refused when another version is installed; null checks nothing.'),
});
export type StartUpdate = z.infer<typeof startUpdate>;

/** `update-manifest.json` in the root of a version: how it may be installed. */
export const updateManifest = z.object({
  automatic_update: z.boolean(),
  migration_mode: z.string(),
  notes: z.string().max(2000).optional(),
});
export type UpdateManifest = z.infer<typeof updateManifest>;

/** A stable version ahead of the installed one, on the remote's main. */
export interface NewerVersion {
  /** `vMAJOR.MINOR.PATCH` */
  version: string;
  commit: string;
  /** Null when it has none, or none that can be read. */
  manifest: UpdateManifest | null;
}

/** What the updater finds in its working tree and at the remote. */
export interface Installation {
  /** Null when no branch is checked out. */
  branch: string | null;
  commit: string;
  /** The stable version at exactly this commit. */
  version: string | null;
  dirty: boolean;
  /** In the order of versions, oldest first. */
  newer: NewerVersion[];
  /** Why the remote could not be asked; null when it was. */
  remote_problem: string | null;
  checked_at: string;
}

/** From where to where an update goes, found at its beginning. */
export interface UpdatePlan {
  source_version: string;
  source_commit: string;
  target_version: string;
  target_commit: string;
}

/** Where an update stands. */
export interface UpdateMark {
  state: UpdateState;
  stage: UpdateStage;
  message: string;
}

/** What the workflow of an update is told. */
export interface SystemUpdateInput {
  operation_id: string;
  /** The version that was announced to whoever asked. */
  expected_target: string;
  /** Seconds after which a silent updater counts as dead. */
  heartbeat_timeout: number;
}

/** An update as stored. */
export interface UpdateDocument {
  /** The operation's id. */
  _id: string;
  state: UpdateState;
  stage: UpdateStage;
  source_version: string;
  target_version: string;
  message: string;
  log_tail: string[];
  /** Steps that were carried through: they are not done again when their worker is lost. */
  done: string[];
  requested_by: string;
  started_at: Date;
  updated_at: Date;
  completed_at: Date | null;
}
