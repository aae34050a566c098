import { keyOf, type ProjectId } from '../../kernel/ids.ts';
import { newId } from '../../kernel/new-ids.ts';
import { assertRoomWithin } from '../../kernel/quotas.ts';
import type { Chips } from '../chips/index.ts';
import { AgentSessionError } from './errors.ts';
import type { Ledger } from './ledger.ts';
import type {
  AgentSession,
  AgentSessionQuery,
  GateAnswer,
  NewAgentSession,
  SessionDocument,
  SessionStatus,
} from './model.ts';
import { gateValue } from './policy-rules.ts';
import { assertActive, assertMayControl, type SessionUser } from './session-rules.ts';
import type { AgentSessionSettings } from './settings.ts';
import type { AgentStore } from './store.ts';
import { sessionOf } from './wire.ts';

interface Dependencies {
  store: AgentStore;
  ledger: Ledger;
  chips: Pick<Chips, 'mustGet'>;
  settings: Pick<AgentSessionSettings, 'AGENT_SESSIONS_PER_PROJECT'>;
}

/** Lets users create, watch and end sessions. */
export function createSessions({ store, ledger, chips, settings }: Dependencies) {
  /** A change requested by a user: applied to the current version of the session. */
  async function change(
    [projectId, sessionId]: [projectId: ProjectId, sessionId: string],
    user: SessionUser,
    from: readonly SessionStatus[],
    to: SessionStatus,
  ): Promise<AgentSession> {
    for (;;) {
      const session = await ledger.load(projectId, sessionId);
      assertMayControl(session, user);
      if (!from.includes(session.status)) {
        const state = session.status.replaceAll('_', ' ');
        throw new AgentSessionError(
          'session_closed',
          `The session is ${state}; this cannot be done to it now.`,
        );
      }
      const changed = await ledger.advance(session, { status: to }, null);
      if (changed) return sessionOf(changed);
    }
  }

  return {
    /** @throws not_found for an unknown chip, quota_exceeded */
    async create(projectId: ProjectId, user: SessionUser, wanted: NewAgentSession): Promise<AgentSession> {
      const { expires_in_seconds, ...fields } = wanted;
      await chips.mustGet(projectId, wanted.chip_id);
      const created_at = new Date();
      assertRoomWithin(
        {
          holder: 'This project',
          things: 'open agent sessions',
          limit: settings.AGENT_SESSIONS_PER_PROJECT,
          setting: 'AGENT_SESSIONS_PER_PROJECT',
          remedy: 'Cancel what is not needed',
        },
        await store.sessions.countOpen(projectId, created_at),
      );
      const session_id = newId();
      const session: SessionDocument = {
        _id: keyOf(projectId, session_id),
        project_id: projectId,
        session_id,
        created_by: user.username,
        created_by_user_id: user.user_id,
        ...fields,
        status: 'active',
        state_version: 0,
        action_count: 0,
        created_at,
        updated_at: created_at,
        expires_at: new Date(created_at.getTime() + expires_in_seconds * 1000),
      };
      await store.sessions.insert(session);
      return sessionOf(session);
    },

    /** @throws not_found */
    get: async (projectId: ProjectId, sessionId: string) =>
      sessionOf(await ledger.load(projectId, sessionId)),

    /** A page of a project's sessions, newest first. */
    async list(projectId: ProjectId, query: AgentSessionQuery) {
      await store.sessions.expire(projectId, new Date());
      const { items, total } = await store.sessions.list(projectId, query);
      return { items: items.map(sessionOf), total, skip: query.skip, limit: query.limit };
    },

    /** Lets an agent continue that waits for a person. @throws not_found, forbidden, session_closed */
    resume: (projectId: ProjectId, user: SessionUser, sessionId: string) =>
      change([projectId, sessionId], user, ['waiting_for_human'], 'active'),

    /** Ends a session; measurements in progress continue. @throws not_found, forbidden, session_closed */
    cancel: (projectId: ProjectId, user: SessionUser, sessionId: string) =>
      change([projectId, sessionId], user, ['active', 'waiting_for_human'], 'cancelled'),

    /** Checks a value against the session's bounds. Changes nothing. @throws not_found, session_closed */
    async gate(
      projectId: ProjectId,
      sessionId: string,
      { parameter_name, value }: { parameter_name: string; value: number },
    ): Promise<GateAnswer> {
      const session = await ledger.load(projectId, sessionId);
      assertActive(session);
      return {
        session_id: sessionId,
        parameter_name,
        value,
        ...gateValue(session.policy, parameter_name, value),
      };
    },
  };
}
