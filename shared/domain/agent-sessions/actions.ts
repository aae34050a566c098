import { CalibronError } from '../../kernel/errors.ts';
import type { ProjectId } from '../../kernel/ids.ts';
import { newId } from '../../kernel/new-ids.ts';
import { assertRoomWithin } from '../../kernel/quotas.ts';
import type { ActionDocument, AgentAction, NewAction } from './action-model.ts';
import type { Dispatch } from './dispatch.ts';
import { fingerprintOf } from './fingerprint.ts';
import type { Ledger } from './ledger.ts';
import type { ActionType, SessionDocument, SessionStatus } from './model.ts';
import { rejectionOf } from './policy-rules.ts';
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
import { actionOf } from './wire.ts';

interface Dependencies {
  store: AgentStore;
  ledger: Ledger;
  dispatch: Dispatch;
  settings: Pick<AgentSessionSettings, 'AGENT_ENTRIES_PER_SESSION'>;
}

export type Actions = ReturnType<typeof createActions>;

/** The status of the session after an authorized action. */
const statusAfter: Record<ActionType, SessionStatus> = {
  run_task: 'active',
  request_human: 'waiting_for_human',
  complete_session: 'completed',
};

/** Proposals of agents. The policy decides each proposal; authorized and rejected ones are audited. */
export function createActions({ store, ledger, dispatch, settings }: Dependencies) {
  async function find(projectId: ProjectId, sessionId: string, actionId: string): Promise<ActionDocument> {
    const found = await store.actions.get(projectId, sessionId, actionId);
    if (!found) throw new CalibronError('not_found', 'There is no such action in this session.');
    return found;
  }

  /** @throws session_closed, quota_exceeded. A session that waits for a person can still be completed. */
  function assertTakes(session: SessionDocument, { action_type }: NewAction): void {
    if (action_type === 'complete_session') {
      if (session.status !== 'waiting_for_human') assertActive(session);
      return;
    }
    assertActive(session);
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
  }

  return {
    find,

    /**
     * Decides and audits a proposal without executing it.
     * @throws not_found, forbidden, idempotency_conflict, session_closed, stale_version, quota_exceeded
     */
    async submit(
      projectId: ProjectId,
      user: SessionUser,
      sessionId: string,
      proposed: NewAction,
    ): Promise<AgentAction> {
      const { idempotency_key, expected_state_version, ...what } = proposed;
      const _id = store.actions.keyOf(projectId, sessionId, idempotency_key);
      const fingerprint = fingerprintOf(proposed);
      const session = await ledger.load(projectId, sessionId);
      assertCreator(session, user);
      const first = await store.actions.byKey(_id);
      if (first) {
        assertSameProposal(first, fingerprint);
        return actionOf(await dispatch.upToDate(first, session));
      }
      assertTakes(session, proposed);
      assertVersion(session, expected_state_version);
      const { policy, action_count } = session;
      const rejection = rejectionOf(policy, action_count, what) ?? (await dispatch.problemOf(session, what));
      const action: ActionDocument = {
        _id,
        project_id: projectId,
        action_id: newId(),
        session_id: sessionId,
        idempotency_key,
        fingerprint,
        ...what,
        decision: rejection === null ? 'authorized' : 'rejected',
        reason: rejection ?? '',
        execution_status: 'not_started',
        operation_id: null,
        execution_id: null,
        state_version_before: expected_state_version,
        state_version_after: expected_state_version + 1,
        created_at: new Date(),
        dispatched_at: null,
      };
      const change =
        rejection === null
          ? {
              status: statusAfter[what.action_type],
              // Completing is possible without remaining budget, but the count never exceeds the budget.
              action_count: Math.min(action_count + 1, Math.max(action_count, policy.max_actions)),
            }
          : {};
      if (await ledger.advance(session, change, { kind: 'action', document: action })) {
        return actionOf(action);
      }
      // Another request was faster, perhaps the same request sent twice.
      const now = await ledger.load(projectId, sessionId);
      const faster = await store.actions.byKey(_id);
      if (!faster) throw staleVersion(now.state_version);
      assertSameProposal(faster, fingerprint);
      return actionOf(faster);
    },

    /** The audit trail of a session in order, with the current status of each action. @throws not_found */
    async list(projectId: ProjectId, sessionId: string, page: { skip: number; limit: number }) {
      const session = await ledger.load(projectId, sessionId);
      const { items, total } = await store.actions.list(projectId, sessionId, page);
      const shown: AgentAction[] = [];
      // A project has one run at a time, so few of the actions are still open.
      for (const action of items) shown.push(actionOf(await dispatch.upToDate(action, session)));
      return { items: shown, total };
    },

    /** @throws not_found */
    async get(projectId: ProjectId, sessionId: string, actionId: string): Promise<AgentAction> {
      const session = await ledger.load(projectId, sessionId);
      return actionOf(await dispatch.upToDate(await find(projectId, sessionId, actionId), session));
    },
  };
}
