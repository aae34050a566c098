import type { Db } from 'mongodb';
import { retryDuplicateKey } from '../../kernel/database.ts';
import { keyOf, type ProjectId } from '../../kernel/ids.ts';
import { sha256 } from '../../kernel/new-ids.ts';
import { repeatLost } from '../../kernel/repeat-lost.ts';
import type { ActionDocument } from './action-model.ts';

/** What agents proposed in their sessions. */
export function createActionStore(db: Db) {
  const actions = db.collection<ActionDocument>('agent_actions');

  return {
    keyOf: (projectId: ProjectId, sessionId: string, key: string) => keyOf(projectId, sessionId, sha256(key)),

    /** Stores an action unless it already exists. */
    async keep({ _id, ...fields }: ActionDocument): Promise<void> {
      await repeatLost(() =>
        retryDuplicateKey(() => actions.updateOne({ _id }, { $setOnInsert: fields }, { upsert: true })),
      );
    },

    byKey: (id: string) => actions.findOne({ _id: id }),

    get: (projectId: ProjectId, sessionId: string, actionId: string) =>
      actions.findOne({ project_id: projectId, session_id: sessionId, action_id: actionId }),

    /** A page of the actions of a session, oldest first. */
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
  };
}
