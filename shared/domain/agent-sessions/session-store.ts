import type { Db } from 'mongodb';
import { keyOf, type ProjectId } from '../../kernel/ids.ts';
import { insertNew } from '../../kernel/insert-new.ts';
import { repeatLost } from '../../kernel/repeat-lost.ts';
import type { ActionDocument } from './action-model.ts';
import type { CommitDocument } from './commit-model.ts';
import {
  type AgentSessionQuery,
  openSessionStatuses,
  type SessionDocument,
  type SessionStatus,
} from './model.ts';

/** The reason why a session's version was incremented. */
export type SessionEntry =
  | { kind: 'action'; document: ActionDocument }
  | { kind: 'commit'; document: CommitDocument };

/** A session with its newest entry until that is stored separately, so that version and entry are one write. */
export interface StoredSession extends SessionDocument {
  entry: SessionEntry | null;
}

/** Sessions of agents. */
export function createSessionStore(db: Db) {
  const sessions = db.collection<StoredSession>('agent_sessions');

  const isOpen = { $in: [...openSessionStatuses] };

  return {
    async insert(session: SessionDocument): Promise<void> {
      await insertNew(sessions, { ...session, entry: null });
    },

    get: (projectId: ProjectId, sessionId: string) => sessions.findOne({ _id: keyOf(projectId, sessionId) }),

    countOpen: (projectId: ProjectId, now: Date) =>
      sessions.countDocuments({ project_id: projectId, status: isOpen, expires_at: { $gt: now } }),

    /** Expires sessions whose time is over. */
    async expire(projectId: ProjectId, now: Date, sessionId?: string): Promise<void> {
      const which = sessionId === undefined ? {} : { _id: keyOf(projectId, sessionId) };
      await sessions.updateMany(
        { ...which, project_id: projectId, status: isOpen, expires_at: { $lte: now } },
        { $set: { status: 'expired', updated_at: now } },
      );
    },

    /** A page of the sessions of a project, newest first. */
    async list(projectId: ProjectId, { chip_id, status, skip, limit }: AgentSessionQuery) {
      const filter = {
        project_id: projectId,
        ...(chip_id !== undefined && { chip_id }),
        ...(status !== undefined && { status }),
      };
      const [items, total] = await Promise.all([
        sessions.find(filter).sort({ created_at: -1, session_id: 1 }).skip(skip).limit(limit).toArray(),
        sessions.countDocuments(filter),
      ]);
      return { items, total };
    },

    /**
     * Increments the version of a session that has not changed since it was read, and stores the reason in the same write.
     * @returns the changed session; null when it has changed or its time is over. Null may also mean that the answer to the
     * write was lost, so a caller with an entry must check whether the entry is stored.
     */
    advance(
      session: SessionDocument,
      change: { status?: SessionStatus; action_count?: number },
      entry: SessionEntry | null,
    ): Promise<StoredSession | null> {
      const { _id, status, state_version } = session;
      const now = new Date();
      const raised = { ...change, state_version: state_version + 1, updated_at: now };
      return repeatLost(async () => {
        const after = await sessions.findOneAndUpdate(
          { _id, status, state_version, expires_at: { $gt: now } },
          { $set: { ...raised, entry } },
          { returnDocument: 'after' },
        );
        if (after || entry) return after;
        return sessions.findOne({ _id, ...raised });
      });
    },

    /** Clears the entry of this version. Call it after the entry was stored separately and carried out. */
    async forgetEntry({ _id, state_version }: SessionDocument): Promise<void> {
      await sessions.updateOne({ _id, state_version }, { $set: { entry: null } });
    },
  };
}
