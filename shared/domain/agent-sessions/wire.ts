import { isoTime, isoTimeOrNull } from '../../kernel/time.ts';
import { parametersOf } from '../results/wire.ts';
import type { ActionDocument, AgentAction } from './action-model.ts';
import type { CampaignCommit, CandidateCommit, CommitDocument, ListedCommit } from './commit-model.ts';
import type { AgentSession, SessionDocument } from './model.ts';

export function sessionOf(session: SessionDocument): AgentSession {
  return {
    session_id: session.session_id,
    project_id: session.project_id,
    chip_id: session.chip_id,
    created_by: session.created_by,
    policy: session.policy,
    skill_name: session.skill_name,
    skill_version: session.skill_version,
    skill_hash: session.skill_hash,
    model_name: session.model_name,
    status: session.status,
    state_version: session.state_version,
    action_count: session.action_count,
    created_at: isoTime(session.created_at),
    updated_at: isoTime(session.updated_at),
    expires_at: isoTime(session.expires_at),
  };
}

export function actionOf(action: ActionDocument): AgentAction {
  const { _id, project_id, fingerprint, dispatched_at, created_at, ...shown } = action;
  return { ...shown, created_at: isoTime(created_at) };
}

/** The fields that both kinds of commits show. */
function committedOf(commit: CommitDocument) {
  return {
    commit_id: commit.commit_id,
    session_id: commit.session_id,
    idempotency_key: commit.idempotency_key,
    qid: commit.qid,
    status: commit.status,
    reason: commit.reason,
    committed_by: commit.committed_by,
    state_version_before: commit.state_version_before,
    state_version_after: commit.state_version_after,
    created_at: isoTime(commit.created_at),
    committed_at: isoTimeOrNull(commit.committed_at),
  };
}

export function candidateCommitOf(commit: CommitDocument): CandidateCommit {
  const [candidate] = commit.candidates;
  if (!candidate) throw new Error(`the commit ${commit.commit_id} has no candidate`);
  const { apply } = commit;
  return {
    ...committedOf(commit),
    action_id: candidate.action_id,
    execution_id: candidate.execution_id,
    task_id: candidate.task_id,
    task_name: candidate.task_name,
    parameter_name: candidate.parameter_name,
    value: candidate.value,
    before_snapshot: snapshotsOf(commit.before)[candidate.parameter_name] ?? null,
    after_snapshot: snapshotsOf(commit.after ?? {})[candidate.parameter_name] ?? null,
    backend_status: apply.status,
    backend_operation_id: apply.operation_id,
    backend_name: apply.backend_name,
    backend_target_files: apply.target_files,
    backend_changed_files: apply.changed_files,
    backend_verified: apply.verified,
    backend_base_git_commit: apply.base_git_commit,
    backend_git_commit: apply.git_commit,
    backend_error: apply.error,
    backend_requested_at: isoTimeOrNull(apply.requested_at),
    backend_applied_at: isoTimeOrNull(apply.applied_at),
  };
}

export function campaignCommitOf(commit: CommitDocument): CampaignCommit {
  return {
    ...committedOf(commit),
    chip_id: commit.chip_id,
    candidates: commit.candidates,
    before_snapshot: snapshotsOf(commit.before),
    after_snapshot: commit.after && snapshotsOf(commit.after),
  };
}

/** A commit in the list of its session. */
export function listedCommitOf(commit: CommitDocument): ListedCommit {
  const { commit_id, qid, status, reason, committed_by, created_at, committed_at } = committedOf(commit);
  const before = snapshotsOf(commit.before);
  return {
    commit_id,
    kind: commit.kind,
    qid,
    status,
    reason,
    committed_by,
    created_at,
    committed_at,
    values: commit.candidates.map(({ parameter_name, value, error, unit, task_id }) => ({
      parameter_name,
      value,
      error,
      unit,
      task_id,
      replaced: before[parameter_name]?.value ?? null,
    })),
    backend_status: commit.apply.status,
  };
}

function snapshotsOf(records: CommitDocument['before']): CommitDocument['before'] {
  return Object.fromEntries(
    Object.entries(records).map(([name, record]) => [
      name,
      record && (parametersOf({ [name]: record })[name] ?? null),
    ]),
  );
}
