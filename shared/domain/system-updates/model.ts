import { z } from 'zod';
import { timestamp } from '../../kernel/wire.ts';

/** States of an update; `idle` is the installation's state before its first update. */
export const updateState = z.enum([
  'idle',
  'queued',
  'running',
  'rolling_back',
  'succeeded',
  'failed',
  'rolled_back',
]);

/** The current step of an update, or how it ended. */
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

/** States of a requested update. */
export type UpdateState = Exclude<z.infer<typeof updateState>, 'idle'>;

/** State of the installation. */
export const updateStatus = z
  .object({
    enabled: z.boolean().describe('Whether this installation has an updater.'),
    current_version: z
      .string()
      .describe('The version of the working tree; if it has none, the first characters of its commit.'),
    current_commit: z.string(),
    latest_version: z
      .string()
      .nullable()
      .describe('The newer version that an update would install; if there is none, the newest one.'),
    update_available: z.boolean(),
    can_update: z.boolean(),
    dirty: z.boolean().describe('Whether files of the working tree were changed by hand.'),
    blocked_reason: z.string().nullable().describe('Why no update can be started.'),
    operation_id: z.string().nullable().describe('Id of the last update.'),
    operation_state: updateState,
    checked_at: timestamp,
  })
  .meta({ id: 'SystemUpdateStatus' });
export type UpdateStatus = z.infer<typeof updateStatus>;

/** A requested update. */
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

/** `update-manifest.json` in the root of a version: whether and how it may be installed. */
export const updateManifest = z.object({
  automatic_update: z.boolean(),
  migration_mode: z.string(),
  notes: z.string().max(2000).optional(),
});
export type UpdateManifest = z.infer<typeof updateManifest>;

/** A stable version on the remote's main branch that is newer than the installed one. */
export interface NewerVersion {
  /** `vMAJOR.MINOR.PATCH` */
  version: string;
  commit: string;
  /** Null if it is missing or cannot be read. */
  manifest: UpdateManifest | null;
}

/** What the updater reads from its working tree and from the remote. */
export interface Installation {
  /** Null if no branch is checked out. */
  branch: string | null;
  commit: string;
  /** The stable version of exactly this commit. */
  version: string | null;
  dirty: boolean;
  /** Sorted by version, oldest first. */
  newer: NewerVersion[];
  /** Why the remote could not be queried; null if it could. */
  remote_problem: string | null;
  checked_at: string;
}

/** Current and target version of an update, determined at its start. */
export interface UpdatePlan {
  source_version: string;
  source_commit: string;
  target_version: string;
  target_commit: string;
}

/** Progress of an update. */
export interface UpdateMark {
  state: UpdateState;
  stage: UpdateStage;
  message: string;
}

/** Input of the update workflow. */
export interface SystemUpdateInput {
  operation_id: string;
  /** The version that was announced to the user who requested the update. */
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
  /** Completed steps: they are not repeated if their worker is lost. */
  done: string[];
  requested_by: string;
  started_at: Date;
  updated_at: Date;
  completed_at: Date | null;
}
