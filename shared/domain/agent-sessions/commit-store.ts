import type { Db } from 'mongodb';
import { retryDuplicateKey } from '../../kernel/database.ts';
import { keyOf, type ProjectId } from '../../kernel/ids.ts';
import { sha256 } from '../../kernel/new-ids.ts';
import { repeatLost } from '../../kernel/repeat-lost.ts';
import type { BackendStatus, CommitDocument, StoredApply } from './commit-model.ts';

/** The changed fields of an apply, as paths in the commit. */
function applyFields(change: Partial<StoredApply>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(change).map(([name, value]) => [`apply.${name}`, value]));
}

type CommitKind = CommitDocument['kind'];

/** What agents committed in their sessions, and the applies of it. */
export function createCommitStore(db: Db) {
  const commits = db.collection<CommitDocument>('agent_commits');

  return {
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
  };
}
