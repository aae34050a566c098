import type { Db } from 'mongodb';
import { type CollectionIndexes, retryDuplicateKey } from '../../kernel/database.ts';
import { keyOf, type ProjectId } from '../../kernel/ids.ts';
import { insertNew } from '../../kernel/insert-new.ts';
import { sha256 } from '../../kernel/new-ids.ts';
import { repeatLost } from '../../kernel/repeat-lost.ts';
import type { ActionDocument } from './action-model.ts';
import type { BackendStatus, CommitDocument, StoredApply } from './commit-model.ts';
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

export const agentIndexes: readonly CollectionIndexes[] = [
  {
    collection: 'agent_sessions',
    indexes: [
      { name: 'by_age', key: { project_id: 1, created_at: -1, session_id: 1 } },
      { name: 'by_chip', key: { project_id: 1, chip_id: 1, created_at: -1, session_id: 1 } },
      { name: 'by_status', key: { project_id: 1, status: 1, created_at: -1, session_id: 1 } },
      { name: 'by_expiry', key: { project_id: 1, status: 1, expires_at: 1 } },
    ],
  },
  {
    collection: 'agent_actions',
    indexes: [
      { name: 'by_action', key: { project_id: 1, session_id: 1, action_id: 1 }, unique: true },
      { name: 'by_version', key: { project_id: 1, session_id: 1, state_version_after: 1 } },
    ],
  },
  {
    collection: 'agent_commits',
    indexes: [
      { name: 'by_commit', key: { project_id: 1, session_id: 1, commit_id: 1 }, unique: true },
      { name: 'by_chip', key: { project_id: 1, chip_id: 1 } },
      { name: 'by_age', key: { project_id: 1, session_id: 1, created_at: -1, commit_id: 1 } },
    ],
  },
];

/** The changed fields of an apply, as paths in the commit. */
function applyFields(change: Partial<StoredApply>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(change).map(([name, value]) => [`apply.${name}`, value]));
}

type CommitKind = CommitDocument['kind'];

export type AgentStore = ReturnType<typeof createAgentStore>;

/** Sessions of agents with their proposals and commits. */
export function createAgentStore(db: Db) {
  const sessions = db.collection<StoredSession>('agent_sessions');
  const actions = db.collection<ActionDocument>('agent_actions');
  const commits = db.collection<CommitDocument>('agent_commits');
  const isOpen = { $in: [...openSessionStatuses] };

  return {
    sessions: {
      async insert(session: SessionDocument): Promise<void> {
        await insertNew(sessions, { ...session, entry: null });
      },

      get: (projectId: ProjectId, sessionId: string) =>
        sessions.findOne({ _id: keyOf(projectId, sessionId) }),

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
    },

    actions: {
      keyOf: (projectId: ProjectId, sessionId: string, key: string) =>
        keyOf(projectId, sessionId, sha256(key)),

      /** Stores an action unless it already exists. */
      async keep({ _id, ...fields }: ActionDocument): Promise<void> {
        await repeatLost(() =>
          retryDuplicateKey(() => actions.updateOne({ _id }, { $setOnInsert: fields }, { upsert: true })),
        );
      },

      byKey: (id: string) => actions.findOne({ _id: id }),

      get: (projectId: ProjectId, sessionId: string, actionId: string) =>
        actions.findOne({ project_id: projectId, session_id: sessionId, action_id: actionId }),

      async list(projectId: ProjectId, sessionId: string, { skip, limit }: { skip: number; limit: number }) {
        const filter = { project_id: projectId, session_id: sessionId };
        const [items, total] = await Promise.all([
          actions.find(filter).sort({ state_version_after: 1 }).skip(skip).limit(limit).toArray(),
          actions.countDocuments(filter),
        ]);
        return { items, total };
      },

      /**
       * Changes the execution state of an action if it has not changed since it was read. @returns the changed action, else null
       */
      move(
        { _id, execution_status, dispatched_at }: ActionDocument,
        change: Partial<
          Pick<
            ActionDocument,
            'execution_status' | 'operation_id' | 'execution_id' | 'dispatched_at' | 'reason'
          >
        >,
      ): Promise<ActionDocument | null> {
        return actions.findOneAndUpdate(
          { _id, execution_status, dispatched_at },
          { $set: change },
          { returnDocument: 'after' },
        );
      },
    },

    commits: {
      keyOf: (projectId: ProjectId, sessionId: string, kind: CommitKind, key: string) =>
        keyOf(projectId, sessionId, kind, sha256(key)),

      /** Stores a commit unless it already exists. @returns the stored commit */
      async keep({ _id, ...fields }: CommitDocument): Promise<CommitDocument> {
        const stored = await repeatLost(() =>
          retryDuplicateKey(() =>
            commits.findOneAndUpdate(
              { _id },
              { $setOnInsert: fields },
              { upsert: true, returnDocument: 'after' },
            ),
          ),
        );
        return stored ?? { _id, ...fields };
      },

      byKey: (id: string) => commits.findOne({ _id: id }),

      get: (projectId: ProjectId, sessionId: string, kind: CommitKind, commitId: string) =>
        commits.findOne({ project_id: projectId, session_id: sessionId, commit_id: commitId, kind }),

      /** The commits of a session, newest first. */
      async list(projectId: ProjectId, sessionId: string, { skip, limit }: { skip: number; limit: number }) {
        const filter = { project_id: projectId, session_id: sessionId };
        const [items, total] = await Promise.all([
          commits.find(filter).sort({ created_at: -1, commit_id: 1 }).skip(skip).limit(limit).toArray(),
          commits.countDocuments(filter),
        ]);
        return { items, total };
      },

      /** The commits of a session that succeeded or are still in progress. */
      standing: (projectId: ProjectId, sessionId: string) =>
        commits.find({ project_id: projectId, session_id: sessionId, status: { $ne: 'failed' } }).toArray(),

      /** Requests the apply of a commit, unless one is in progress or done. @returns the changed commit, else null */
      async claimApply(
        { _id, apply }: CommitDocument,
        fields: Partial<StoredApply>,
      ): Promise<CommitDocument | null> {
        return commits.findOneAndUpdate(
          {
            _id,
            status: 'committed',
            'apply.status': { $in: ['not_started', 'failed'] },
            'apply.attempt': apply.attempt,
          },
          { $set: applyFields({ ...fields, attempt: apply.attempt + 1 }) },
          { returnDocument: 'after' },
        );
      },

      /** Changes the commit's newest apply if it is in one of these states. @returns the changed commit, else null */
      async moveApply(
        { _id }: Pick<CommitDocument, '_id'>,
        attempt: number,
        from: readonly BackendStatus[],
        change: Partial<StoredApply>,
      ): Promise<CommitDocument | null> {
        return commits.findOneAndUpdate(
          { _id, 'apply.attempt': attempt, 'apply.status': { $in: [...from] } },
          { $set: applyFields(change) },
          { returnDocument: 'after' },
        );
      },

      /** Ends a commit in progress; the first end stays. @returns the commit after it */
      async end(
        { _id }: CommitDocument,
        end: Pick<CommitDocument, 'status' | 'reason' | 'after' | 'committed_at'>,
      ): Promise<CommitDocument | null> {
        const ended = await commits.findOneAndUpdate(
          { _id, status: 'committing' },
          { $set: end },
          { returnDocument: 'after' },
        );
        return ended ?? commits.findOne({ _id });
      },
    },
  };
}
