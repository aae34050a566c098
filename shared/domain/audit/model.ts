import { z } from 'zod';
import { type ProjectId, projectIdSchema, type UserId, userIdSchema } from '../../kernel/ids.ts';
import { instant, integer, timestamp } from '../../kernel/wire.ts';

/** Actions that the audit trail records. */
const auditAction = z.enum([
  'signed_in',
  'sign_in_refused',
  'signed_out',
  'password_changed',
  'profile_changed',
  'password_reset',
  'second_factor_requested',
  'second_factor_added',
  'second_factor_removed',
  'second_factor_reset',
  'passkey_requested',
  'passkey_added',
  'passkey_removed',
  'passkey_sign_in_requested',
  'program_token_created',
  'program_token_rotated',
  'program_token_revoked',
  'service_account_created',
  'service_account_changed',
  'service_account_deleted',
  'user_created',
  'users_imported',
  'user_changed',
  'user_deleted',
  'project_created',
  'project_changed',
  'retention_changed',
  'project_transferred',
  'project_deleted',
  'member_added',
  'member_changed',
  'member_removed',
  'chip_created',
  'chip_changed',
  'chip_deleted',
  'cryostat_created',
  'cryostat_changed',
  'cryostat_deleted',
  'cooldown_created',
  'cooldown_changed',
  'cooldown_deleted',
  'cooldown_reopened',
  'chip_assigned',
  'chip_unassigned',
  'wiring_kept',
  'note_written',
  'note_deleted',
  'category_created',
  'category_changed',
  'category_archived',
  'post_created',
  'post_changed',
  'post_deleted',
  'thread_closed',
  'thread_reopened',
  'image_uploaded',
  'ai_reply_asked',
  'flow_saved',
  'flow_restored',
  'flow_deleted',
  'menu_saved',
  'menu_deleted',
  'schedule_created',
  'schedule_changed',
  'schedule_deleted',
  'run_started',
  'run_paused',
  'run_resumed',
  'run_stopped',
  'run_cancelled',
  'approval_answered',
  'result_excluded',
  'reviews_requested',
  'reviews_cancelled',
  'issue_written',
  'issue_deleted',
  'issue_closed',
  'issue_reopened',
  'knowledge_extracted',
  'knowledge_changed',
  'knowledge_approved',
  'knowledge_rejected',
  'knowledge_deleted',
  'knowledge_exported',
  'values_changed',
  'agent_session_created',
  'agent_session_resumed',
  'agent_session_cancelled',
  'agent_action_proposed',
  'agent_commit_applied',
  'configuration_written',
  'configuration_removed',
  'configuration_pulled',
  'configuration_pushed',
  'configuration_reloaded',
  'files_exported',
  'system_update_cancelled',
  'system_update_started',
]);
export type AuditAction = z.infer<typeof auditAction>;

/** A detail of an entry: a number, a boolean or a short text. */
const detail = z.union([z.string(), z.number(), z.boolean(), z.null()]);
export type AuditDetail = z.infer<typeof detail>;

/** A line of the audit trail. */
const auditEntry = z
  .object({
    entry_id: z.string(),
    at: timestamp,
    action: auditAction.describe('What was done. Later versions may add names.'),
    user_id: userIdSchema.nullable().describe('Who did it; null if unknown.'),
    username: z.string().nullable(),
    project_id: projectIdSchema
      .nullable()
      .describe('Project in which it was done; null if it belongs to no project.'),
    target: z
      .string()
      .nullable()
      .describe('What it was done to: a username, a chip, a flow, an execution, a path.'),
    details: z.record(z.string(), detail),
    address: z.string().describe('Where the request came from.'),
    request_id: z.string(),
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntry = z.infer<typeof auditEntry>;

/** Filters of the audit trail. */
export const auditQuery = z.object({
  username: z.string().optional().describe('Who did it.'),
  project_id: projectIdSchema.optional(),
  action: auditAction.optional(),
  from: instant().optional().describe('At or after this moment.'),
  to: instant().optional().describe('Before this moment.'),
  skip: integer({ min: 0, max: 100_000 }).prefault(0),
  limit: integer({ min: 1, max: 1000 }).prefault(100),
});
export type AuditQuery = z.infer<typeof auditQuery>;

export const auditList = z.object({
  entries: z.array(auditEntry).describe('Newest first.'),
  has_more: z.boolean().describe('Whether there are older ones.'),
});
export type AuditList = z.infer<typeof auditList>;

/** An entry as stored; entries are never changed. */
export interface AuditDocument {
  _id: string;
  at: Date;
  action: AuditAction;
  user_id: UserId | null;
  username: string | null;
  project_id: ProjectId | null;
  target: string | null;
  details: Record<string, AuditDetail>;
  address: string;
  request_id: string;
  /** When the store deletes it. */
  expires_at: Date;
}
