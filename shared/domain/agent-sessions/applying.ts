import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { startOnceClosed } from '../../kernel/engine/closing.ts';
import { searchAttributes } from '../../kernel/engine/search-attributes.ts';
import { shareOfUser } from '../../kernel/engine/shares.ts';
import { type Engine, withinDeadline } from '../../kernel/engine/temporal.ts';
import { startWorkflow } from '../../kernel/engine/workflow-contract.ts';
import { CALIBRATION_QUEUE } from '../../kernel/engine/workflow-ids.ts';
import { describeWorkflow, isOpenWorkflow } from '../../kernel/engine/workflow-status.ts';
import { CalibronError } from '../../kernel/errors.ts';
import { FILE_PARAMETER } from '../calibrations/parameter-file-rules.ts';
import type { CalibrationStateStore } from '../chips/index.ts';
import { commitOf } from './candidate-rules.ts';
import type {
  ApplyCommit,
  BackendStatus,
  CandidateCommit,
  CommitDocument,
  StoredApply,
} from './commit-model.ts';
import type { Commits } from './commits.ts';
import { AgentSessionError } from './errors.ts';
import { fingerprintOf } from './fingerprint.ts';
import type { Ledger } from './ledger.ts';
import {
  assertActive,
  assertCreator,
  assertSameProposal,
  assertVersion,
  type SessionUser,
} from './session-rules.ts';
import type { AgentStore } from './store.ts';
import { candidateCommitOf } from './wire.ts';
import { applyWorkflowId, candidateApply } from './workflow-model.ts';

interface Dependencies {
  store: AgentStore;
  ledger: Ledger;
  commits: Pick<Commits, 'get'>;
  state: Pick<CalibrationStateStore, 'read'>;
  engine: Engine;
}

/** Milliseconds after which a start without a workflow counts as failed. */
const START_LIMIT = 120_000;

/** States of an apply in progress. */
export const openApplyStatuses = [
  'dispatching',
  'queued',
  'applying',
] as const satisfies readonly BackendStatus[];

const CUT_OFF = 'The apply was cut off before it ended. Apply again with a new idempotency_key.';

/**
 * Checks that the value of a commit is still the current one of its target.
 * @throws value_changed, conflict
 */
export async function assertStillCurrent(
  state: Pick<CalibrationStateStore, 'read'>,
  { project_id, chip_id, target_kind, qid, records, commit_id }: CommitDocument,
): Promise<void> {
  const target = await state.read(project_id, chip_id, target_kind, qid);
  for (const [name, record] of Object.entries(records)) {
    const present = target?.data[name];
    if (commitOf(present) === commit_id && present?.value === record.value) continue;
    throw new AgentSessionError(
      'value_changed',
      `${name} of ${qid} is another value by now than this commit's; it is not applied.`,
    );
  }
}

/** Writes commits to the files that the lab's programs read. */
export function createApplying({ store, ledger, commits, state, engine }: Dependencies) {
  /** A commit with the current state of its apply. Its workflow may have been terminated or never started. */
  async function upToDate(commit: CommitDocument): Promise<CommitDocument> {
    const { apply, commit_id, project_id, session_id } = commit;
    if (!openApplyStatuses.some((status) => status === apply.status)) return commit;
    const workflow = await describeWorkflow(engine, applyWorkflowId(commit_id));
    // The workflow may belong to an earlier apply.
    const isThis = workflow !== null && workflow.memo?.['attempt'] === apply.attempt;
    if (isThis && isOpenWorkflow(workflow.status.name)) {
      const queued = { status: 'queued', operation_id: workflow.runId } as const;
      if (apply.status !== 'dispatching') return commit;
      return (await store.commits.moveApply(commit, apply.attempt, ['dispatching'], queued)) ?? commit;
    }
    const isFresh = Date.now() - (apply.requested_at?.getTime() ?? 0) < START_LIMIT;
    if (!isThis && isFresh) return commit;
    // If it has ended between the two reads, this changes nothing.
    await store.commits.moveApply(commit, apply.attempt, openApplyStatuses, {
      status: 'failed',
      error: CUT_OFF,
      applied_at: new Date(),
    });
    return commits.get(project_id, session_id, 'candidate', commit_id);
  }

  /** @param before the apply that this one replaces */
  async function start(commit: CommitDocument, before: StoredApply): Promise<CommitDocument> {
    const { project_id, session_id, chip_id, commit_id, qid, apply } = commit;
    const { attempt, push } = apply;
    try {
      // The workflow of an earlier apply whose end is recorded is about to close.
      const handle = await startOnceClosed(() =>
        withinDeadline(engine, () =>
          startWorkflow(engine, candidateApply, {
            workflowId: applyWorkflowId(commit_id),
            taskQueue: CALIBRATION_QUEUE,
            priority: shareOfUser(commit.committed_by_user_id),
            workflowIdConflictPolicy: 'FAIL',
            workflowIdReusePolicy: 'ALLOW_DUPLICATE',
            memo: { attempt },
            typedSearchAttributes: searchAttributes({ ProjectId: project_id, ChipId: chip_id }),
            staticSummary: `Apply of ${Object.keys(commit.records).join(', ')} of ${qid} on ${chip_id}`,
            args: [{ project_id, session_id, commit_id, attempt, push }],
          }),
        ),
      );
      const queued = { status: 'queued', operation_id: handle.firstExecutionRunId } as const;
      return (
        (await store.commits.moveApply(commit, attempt, ['dispatching'], queued)) ??
        (await commits.get(project_id, session_id, 'candidate', commit_id))
      );
    } catch (thrown) {
      if (thrown instanceof WorkflowExecutionAlreadyStartedError) {
        // Nothing was started, so the same request can be repeated.
        await store.commits.moveApply(commit, attempt, ['dispatching'], { ...before, attempt });
        throw new CalibronError('conflict', 'An earlier apply of this commit is about to end. Ask again.');
      }
      await store.commits.moveApply(commit, attempt, ['dispatching'], {
        status: 'failed',
        error: 'The workflow engine did not answer.',
        applied_at: new Date(),
      });
      throw thrown;
    }
  }

  return {
    /**
     * Writes a commit to the backend's files; a repeat with the same key returns its current state.
     * @throws not_found, forbidden, idempotency_conflict, session_closed, stale_version, conflict, value_changed
     */
    async apply(
      [projectId, sessionId, commitId]: [projectId: string, sessionId: string, commitId: string],
      user: SessionUser,
      body: ApplyCommit,
    ): Promise<CandidateCommit> {
      const session = await ledger.load(projectId, sessionId);
      assertCreator(session, user);
      const commit = await upToDate(await commits.get(projectId, sessionId, 'candidate', commitId));
      const { idempotency_key, push } = body;
      const fingerprint = fingerprintOf(body, commitId);
      if (commit.apply.attempt > 0 && commit.apply.idempotency_key === idempotency_key) {
        assertSameProposal(commit.apply, fingerprint);
        return candidateCommitOf(commit);
      }
      assertActive(session);
      assertVersion(session, body.expected_state_version);
      if (commit.status !== 'committed') {
        throw new CalibronError(
          'conflict',
          `This commit is ${commit.status}; only a committed one is applied.`,
        );
      }
      if (
        commit.target_kind !== 'qubit' ||
        !Object.keys(commit.records).every((name) => FILE_PARAMETER.test(name))
      ) {
        throw new CalibronError(
          'conflict',
          'There is no parameter file for this value: only qubits have them.',
        );
      }
      await assertStillCurrent(state, commit);
      const claimed = await store.commits.claimApply(commit, {
        status: 'dispatching',
        idempotency_key,
        fingerprint,
        push,
        requested_by: user.username,
        operation_id: null,
        target_files: [],
        changed_files: [],
        verified: false,
        base_git_commit: null,
        git_commit: null,
        error: '',
        requested_at: new Date(),
        applied_at: null,
      });
      if (!claimed) {
        throw new CalibronError('conflict', 'This commit was applied already, or is about to be.');
      }
      return candidateCommitOf(await start(claimed, commit.apply));
    },

    /** A commit with the current state of its apply. @throws not_found */
    read: async (projectId: string, sessionId: string, commitId: string): Promise<CandidateCommit> =>
      candidateCommitOf(await upToDate(await commits.get(projectId, sessionId, 'candidate', commitId))),
  };
}
