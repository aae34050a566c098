import { z } from 'zod';
import { executionIdSchema, type ProjectId, taskIdSchema, type UserId } from '../../kernel/ids.ts';
import { boolean, integer, timestamp } from '../../kernel/wire.ts';
import type { TargetKind } from '../chips/model.ts';
import { type StoredParameter, storedParameter } from '../results/model.ts';
import { proposal } from './model.ts';

/** A value found by an action of a session, and whether it may become calibration state. */
const agentCandidate = z
  .object({
    session_id: z.string(),
    action_id: z.string(),
    execution_id: executionIdSchema,
    task_id: taskIdSchema,
    task_name: z.string(),
    qid: z.string(),
    source_parameter_name: z.string().describe('Name of the output.'),
    parameter_name: z.string().describe('Name under which it would be committed.'),
    value: z.number(),
    error: z.number(),
    unit: z.string(),
    value_type: z.string(),
    quality_metrics: z.record(z.string(), z.number()),
    accepted: z.boolean(),
    reason: z.string().describe('Why it is not accepted; empty otherwise.'),
    minimum: z.number().nullable(),
    maximum: z.number().nullable(),
  })
  .meta({ id: 'AgentCandidate' });
export type AgentCandidate = z.infer<typeof agentCandidate>;
export const agentCandidateList = z.object({ items: z.array(agentCandidate), total: z.number().int() });

/** Body of POST …/candidates/{parameter_name}/commit. */
export const newCommit = proposal.extend({ task_id: taskIdSchema.min(1).max(200) });
export type NewCommit = z.infer<typeof newCommit>;

/** Body of POST /agent-sessions/{session_id}/campaign-commits. */
export const newCampaign = proposal.extend({
  candidates: z
    .array(
      z.object({
        action_id: z.string().min(1).max(200),
        parameter_name: z.string().min(1).max(200),
        task_id: taskIdSchema.min(1).max(200),
      }),
    )
    .min(1)
    .max(100),
});
export type NewCampaign = z.infer<typeof newCampaign>;

const commitStatuses = ['committing', 'committed', 'failed'] as const;
const commitStatus = z.enum(commitStatuses);

/** In order of life. A failed apply may be requested again. */
const backendStatuses = ['not_started', 'dispatching', 'queued', 'applying', 'applied', 'failed'] as const;
const backendStatus = z.enum(backendStatuses);
export type BackendStatus = z.infer<typeof backendStatus>;

/** The previous record of a parameter in the calibration state; null if there was none. */
const snapshot = storedParameter.nullable();

const committed = {
  commit_id: z.string(),
  session_id: z.string(),
  idempotency_key: z.string(),
  qid: z.string(),
  status: commitStatus,
  reason: z.string().describe('Why it failed; empty otherwise.'),
  committed_by: z.string(),
  state_version_before: z.number().int(),
  state_version_after: z.number().int(),
  created_at: timestamp,
  committed_at: timestamp.nullable(),
};

/** A candidate that became calibration state, and the status of writing it to the backend's files. */
export const candidateCommit = z
  .object({
    ...committed,
    action_id: z.string(),
    execution_id: executionIdSchema,
    task_id: taskIdSchema,
    task_name: z.string(),
    parameter_name: z.string(),
    value: z.number(),
    before_snapshot: snapshot,
    after_snapshot: snapshot,
    backend_status: backendStatus,
    backend_operation_id: z.string().nullable(),
    backend_name: z.string(),
    backend_target_files: z.array(z.string()),
    backend_changed_files: z.array(z.string()),
    backend_verified: z.boolean().describe('The files were read back and are correct.'),
    backend_base_git_commit: z.string().nullable(),
    backend_git_commit: z.string().nullable(),
    backend_error: z.string(),
    backend_requested_at: timestamp.nullable(),
    backend_applied_at: timestamp.nullable().describe('When the apply ended, successfully or not.'),
  })
  .meta({ id: 'AgentCandidateCommit' });
export type CandidateCommit = z.infer<typeof candidateCommit>;

/** Several candidates of one target that became calibration state in one write. Snapshots are by parameter. */
export const campaignCommit = z
  .object({
    ...committed,
    chip_id: z.string(),
    candidates: z.array(agentCandidate),
    before_snapshot: z.record(z.string(), snapshot),
    after_snapshot: z.record(z.string(), snapshot).nullable(),
  })
  .meta({ id: 'AgentCampaignCommit' });
export type CampaignCommit = z.infer<typeof campaignCommit>;

/** A commit in the list of its session: which values it set, and what they replaced. */
const listedCommit = z
  .object({
    commit_id: z.string(),
    kind: z.enum(['candidate', 'campaign']),
    qid: z.string(),
    status: commitStatus,
    reason: z.string().describe('Why it failed; empty otherwise.'),
    committed_by: z.string(),
    created_at: timestamp,
    committed_at: timestamp.nullable(),
    values: z.array(
      z.object({
        parameter_name: z.string(),
        value: z.number(),
        error: z.number(),
        unit: z.string(),
        task_id: taskIdSchema,
        replaced: storedParameter.shape.value.describe('The value before; null if there was none.'),
      }),
    ),
    backend_status: backendStatus.describe("How far it has been applied to the backend's files."),
  })
  .meta({ id: 'ListedAgentCommit' });
export type ListedCommit = z.infer<typeof listedCommit>;

/** GET /agent-sessions/{session_id}/commits */
export const agentCommitQuery = z.object({
  skip: integer({ min: 0 }).prefault(0),
  limit: integer({ min: 1, max: 200 }).prefault(50),
});
export type AgentCommitQuery = z.infer<typeof agentCommitQuery>;

export const agentCommitList = z
  .object({
    items: z.array(listedCommit),
    total: z.number().int(),
    skip: z.number().int(),
    limit: z.number().int(),
  })
  .meta({ id: 'AgentCommitList' });
export type AgentCommitList = z.infer<typeof agentCommitList>;

/** Body of POST /agent-sessions/{session_id}/commits/{commit_id}/apply. */
export const applyCommit = proposal
  .extend({
    push_to_remote: boolean().optional().describe('Push the new version of the files; default: false.'),
    push_to_github: boolean().optional().describe('Another name of `push_to_remote`.'),
  })
  .transform(({ push_to_github, push_to_remote, ...rest }) => ({
    ...rest,
    push: push_to_remote ?? push_to_github ?? false,
  }));
export type ApplyCommit = z.infer<typeof applyCommit>;

/** State of writing a commit to the backend's files. */
export interface StoredApply {
  status: BackendStatus;
  /** Incremented by each request to apply; work of earlier attempts is ignored. */
  attempt: number;
  idempotency_key: string;
  fingerprint: string;
  push: boolean;
  requested_by: string;
  operation_id: string | null;
  backend_name: string;
  target_files: string[];
  changed_files: string[];
  verified: boolean;
  base_git_commit: string | null;
  git_commit: string | null;
  error: string;
  requested_at: Date | null;
  applied_at: Date | null;
  /** Content of the file before and after, kept until the apply has ended; `before` is null if the file did not exist. */
  journal: { path: string; before: string | null; after: string } | null;
}

/** A commit as stored; `_id` is `<project_id>/<session_id>/<kind>/<hash of its key>`. */
export interface CommitDocument {
  _id: string;
  project_id: ProjectId;
  session_id: string;
  kind: 'candidate' | 'campaign';
  commit_id: string;
  idempotency_key: string;
  /** Hash of the proposal that was sent with its key. */
  fingerprint: string;
  chip_id: string;
  target_kind: TargetKind;
  qid: string;
  candidates: AgentCandidate[];
  /** Records to write to the calibration state, and its records before and after the commit. */
  records: Record<string, StoredParameter>;
  before: Record<string, StoredParameter | null>;
  after: Record<string, StoredParameter> | null;
  status: z.infer<typeof commitStatus>;
  reason: string;
  committed_by: string;
  committed_by_user_id: UserId;
  state_version_before: number;
  state_version_after: number;
  created_at: Date;
  committed_at: Date | null;
  apply: StoredApply;
}
