import { CalibronError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/new-ids.ts';
import type { CalibrationStateStore } from '../chips/index.ts';
import type { ExecutionStore } from '../executions/index.ts';
import type { TaskResultDocument } from '../results/model.ts';
import { commitOf, committedRecord, isNewer } from './candidate-rules.ts';
import type { AgentCandidate, CommitDocument, StoredApply } from './commit-model.ts';
import { AgentSessionError } from './errors.ts';
import type { SessionDocument } from './model.ts';
import type { SessionUser } from './session-rules.ts';
import type { AgentStore } from './store.ts';

export interface Chosen {
  candidate: AgentCandidate;
  result: TaskResultDocument;
}

/** Request of a commit, common to both kinds. */
export interface WantedCommit {
  kind: CommitDocument['kind'];
  idempotency_key: string;
  expected_state_version: number;
  fingerprint: string;
  /** The current candidates; all of them are accepted. */
  choose(session: SessionDocument): Promise<Chosen[]>;
}

const notApplied: StoredApply = {
  status: 'not_started',
  attempt: 0,
  idempotency_key: '',
  fingerprint: '',
  push: false,
  requested_by: '',
  operation_id: null,
  backend_name: '',
  target_files: [],
  changed_files: [],
  verified: false,
  base_git_commit: null,
  git_commit: null,
  error: '',
  requested_at: null,
  applied_at: null,
  journal: null,
};

export interface NewCommitDependencies {
  commits: AgentStore['commits'];
  state: Pick<CalibrationStateStore, 'read'>;
  execution: ExecutionStore['get'];
}

/** Prepares commits from the candidates that an agent has chosen. */
export function createNewCommits({ commits, state, execution }: NewCommitDependencies) {
  /**
   * @throws value_changed when a newer value was found than the candidate; conflict when the candidate is already calibration
   * state
   */
  async function assertCurrent(
    session: SessionDocument,
    chosen: readonly Chosen[],
    before: CommitDocument['before'],
    records: CommitDocument['records'],
  ): Promise<void> {
    const ownCommits = await commits.standing(session.project_id, session.session_id);
    const own = new Set(ownCommits.map(({ commit_id }) => commit_id));
    for (const { candidate } of chosen) {
      const { parameter_name: name, task_id, qid } = candidate;
      const twice = ownCommits.some((commit) =>
        commit.candidates.some((each) => each.task_id === task_id && each.parameter_name === name),
      );
      if (twice) throw new CalibronError('conflict', `${name} of this task was committed before.`);
      const [present, wanted] = [before[name] ?? null, records[name]];
      const byAgent = commitOf(present);
      if (byAgent !== null && own.has(byAgent)) continue;
      if (wanted && isNewer(present, wanted)) {
        throw new AgentSessionError(
          'value_changed',
          `${name} of ${qid} was calibrated after this candidate was measured. Measure it again.`,
        );
      }
    }
  }

  /**
   * A commit of the chosen candidates, not stored yet.
   * @throws as {@link assertCurrent}; bad_request without a candidate, conflict for a target that is gone
   */
  async function newDocument(
    session: SessionDocument,
    user: SessionUser,
    wanted: WantedCommit,
  ): Promise<CommitDocument> {
    const { project_id, session_id, chip_id } = session;
    const { kind, idempotency_key, fingerprint, expected_state_version } = wanted;
    const chosen = await wanted.choose(session);
    const [first] = chosen;
    if (!first) throw new CalibronError('bad_request', 'Name a candidate.');
    const { qid, execution_id } = first.candidate;
    const target_kind = first.result.task_type === 'coupling' ? 'coupling' : 'qubit';
    const target = await state.read(project_id, chip_id, target_kind, qid);
    if (!target) throw new CalibronError('conflict', `The chip ${chip_id} has no target ${qid} any more.`);
    const commit_id = newId();
    const records = Object.fromEntries(
      chosen.map(({ candidate, result }) => [
        candidate.parameter_name,
        committedRecord(candidate, result, commit_id),
      ]),
    );
    const before = Object.fromEntries(Object.keys(records).map((name) => [name, target.data[name] ?? null]));
    await assertCurrent(session, chosen, before, records);
    const backend_name = (await execution(project_id, execution_id))?.backend ?? '';
    return {
      _id: commits.keyOf(project_id, session_id, kind, idempotency_key),
      project_id,
      session_id,
      kind,
      commit_id,
      idempotency_key,
      fingerprint,
      chip_id,
      target_kind,
      qid,
      candidates: chosen.map(({ candidate }) => candidate),
      records,
      before,
      after: null,
      status: 'committing',
      reason: '',
      committed_by: user.username,
      committed_by_user_id: user.user_id,
      state_version_before: expected_state_version,
      state_version_after: expected_state_version + 1,
      created_at: new Date(),
      committed_at: null,
      apply: { ...notApplied, backend_name },
    };
  }

  return { newDocument };
}
