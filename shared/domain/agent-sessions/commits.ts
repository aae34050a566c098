import { CalibronError } from '../../kernel/errors.ts';
import type { ProjectId } from '../../kernel/ids.ts';
import { assertRoomWithin } from '../../kernel/quotas.ts';
import type { CalibrationStateStore } from '../chips/index.ts';
import type { ExecutionStore } from '../executions/index.ts';
import type { Candidates } from './candidates.ts';
import type {
  AgentCommitList,
  AgentCommitQuery,
  CampaignCommit,
  CandidateCommit,
  CommitDocument,
  NewCampaign,
  NewCommit,
} from './commit-model.ts';
import { AgentSessionError } from './errors.ts';
import { fingerprintOf } from './fingerprint.ts';
import type { Ledger } from './ledger.ts';
import type { SessionDocument } from './model.ts';
import { type Chosen, createNewCommits, type WantedCommit } from './new-commits.ts';
import {
  assertActive,
  assertCreator,
  assertSameProposal,
  assertVersion,
  type SessionUser,
  staleVersion,
} from './session-rules.ts';
import type { AgentSessionSettings } from './settings.ts';
import type { AgentStore } from './store.ts';
import { campaignCommitOf, candidateCommitOf, listedCommitOf } from './wire.ts';

interface Dependencies {
  store: AgentStore;
  ledger: Ledger;
  candidates: Candidates;
  state: CalibrationStateStore;
  execution: ExecutionStore['get'];
  settings: Pick<AgentSessionSettings, 'AGENT_ENTRIES_PER_SESSION'>;
}

export type Commits = ReturnType<typeof createCommits>;

/**
 * Turns candidates into calibration state. A commit is written completely or not at all, and only replaces values that the agent
 * has seen.
 */
export function createCommits(dependencies: Dependencies) {
  const { store, ledger, candidates, state, execution, settings } = dependencies;
  const { newDocument } = createNewCommits({ commits: store.commits, state, execution });

  /** The existing commit of a key; null if there is none. @throws idempotency_conflict */
  async function firstOf(session: SessionDocument, wanted: WantedCommit): Promise<CommitDocument | null> {
    const { project_id, session_id } = session;
    const _id = store.commits.keyOf(project_id, session_id, wanted.kind, wanted.idempotency_key);
    const first = await store.commits.byKey(_id);
    if (first) assertSameProposal(first, wanted.fingerprint);
    return first;
  }

  async function commit(
    [projectId, sessionId]: [projectId: ProjectId, sessionId: string],
    user: SessionUser,
    wanted: WantedCommit,
  ): Promise<CommitDocument> {
    const session = await ledger.load(projectId, sessionId);
    assertCreator(session, user);
    const first = await firstOf(session, wanted);
    if (first) return first;
    assertActive(session);
    assertVersion(session, wanted.expected_state_version);
    assertRoomWithin(
      {
        holder: 'This session',
        things: 'actions and commits',
        limit: settings.AGENT_ENTRIES_PER_SESSION,
        setting: 'AGENT_ENTRIES_PER_SESSION',
        remedy: 'Complete it and make a new one',
      },
      session.state_version,
    );
    const document = await newDocument(session, user, wanted);
    const advanced = await ledger.advance(session, {}, { kind: 'commit', document });
    if (!advanced) {
      const now = await ledger.load(projectId, sessionId);
      const faster = await firstOf(now, wanted);
      if (faster) return faster;
      throw staleVersion(now.state_version);
    }
    const done = (await store.commits.byKey(document._id)) ?? document;
    if (done.status === 'failed') throw new AgentSessionError('value_changed', done.reason);
    return done;
  }

  async function get(
    projectId: ProjectId,
    sessionId: string,
    kind: CommitDocument['kind'],
    commitId: string,
  ): Promise<CommitDocument> {
    await ledger.load(projectId, sessionId);
    const found = await store.commits.get(projectId, sessionId, kind, commitId);
    if (!found) throw new CalibronError('not_found', 'There is no such commit in this session.');
    return found;
  }

  return {
    /**
     * Makes one candidate the calibration state of its target.
     * @throws not_found, forbidden, idempotency_conflict, session_closed, stale_version, not_ready, candidate_refused,
     *   value_changed, conflict
     */
    async commit(
      [projectId, sessionId, action_id]: [projectId: ProjectId, sessionId: string, actionId: string],
      user: SessionUser,
      parameter_name: string,
      body: NewCommit,
    ): Promise<CandidateCommit> {
      const { idempotency_key, expected_state_version, task_id } = body;
      const done = await commit([projectId, sessionId], user, {
        kind: 'candidate',
        idempotency_key,
        expected_state_version,
        fingerprint: fingerprintOf(body, action_id, parameter_name),
        choose: async (session) => [
          await candidates.accepted(session, { action_id, parameter_name, task_id }),
        ],
      });
      return candidateCommitOf(done);
    },

    /** Makes several candidates of one target its calibration state in one write. @throws as {@link commit} */
    async commitCampaign(
      projectId: ProjectId,
      user: SessionUser,
      sessionId: string,
      body: NewCampaign,
    ): Promise<CampaignCommit> {
      const { idempotency_key, expected_state_version } = body;
      const done = await commit([projectId, sessionId], user, {
        kind: 'campaign',
        idempotency_key,
        expected_state_version,
        fingerprint: fingerprintOf(body),
        choose: (session) => chooseCampaign(session, body),
      });
      return campaignCommitOf(done);
    },

    /** The commits of a session, newest first, failed ones too. @throws not_found */
    async list(
      projectId: ProjectId,
      sessionId: string,
      { skip, limit }: AgentCommitQuery,
    ): Promise<AgentCommitList> {
      await ledger.load(projectId, sessionId);
      const { items, total } = await store.commits.list(projectId, sessionId, { skip, limit });
      return { items: items.map(listedCommitOf), total, skip, limit };
    },

    /** A commit of a session as stored. @throws not_found */
    get,
    /** @throws not_found */
    readCampaign: async (
      projectId: ProjectId,
      sessionId: string,
      commitId: string,
    ): Promise<CampaignCommit> => campaignCommitOf(await get(projectId, sessionId, 'campaign', commitId)),
  };

  async function chooseCampaign(session: SessionDocument, body: NewCampaign): Promise<Chosen[]> {
    const names = body.candidates.map(({ parameter_name }) => parameter_name);
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice !== undefined) {
      throw new CalibronError('conflict', `${twice.slice(0, 100)} is named twice; a target has it once.`);
    }
    const chosen: Chosen[] = [];
    for (const each of body.candidates) chosen.push(await candidates.accepted(session, each));
    const [qid, ...others] = [...new Set(chosen.map(({ candidate }) => candidate.qid))];
    if (others.length > 0) {
      throw new CalibronError('conflict', 'The candidates are for several targets; commit them separately.');
    }
    if (qid !== undefined && !session.policy.qids.includes(qid)) {
      throw new CalibronError('conflict', `The session's policy does not allow the target ${qid}.`);
    }
    return chosen;
  }
}
