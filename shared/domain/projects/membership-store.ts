import type { Db } from '../../kernel/database.ts';
import { isDuplicateKey } from '../../kernel/database.ts';
import { keyOf, type ProjectId } from '../../kernel/ids.ts';
import type { MembershipDocument, ProjectRole } from './model.ts';

export type MembershipStore = ReturnType<typeof createMembershipStore>;

/** Memberships of projects. The owner is stored in the project, not here. */
export function createMembershipStore(db: Db) {
  const memberships = db.collection<MembershipDocument>('memberships');
  return {
    /** The memberships of a project, oldest first. */
    ofProject: (projectId: ProjectId) =>
      memberships.find({ project_id: projectId }).sort({ created_at: 1, _id: 1 }).toArray(),

    /** The given users' active memberships in a project. */
    activeAmong: (projectId: ProjectId, userIds: readonly string[]) =>
      memberships
        .find({ _id: { $in: userIds.map((userId) => keyOf(projectId, userId)) }, status: 'active' })
        .toArray(),

    /** The active memberships of several projects. */
    activeOf: (projectIds: readonly ProjectId[]) =>
      memberships
        .find({ project_id: { $in: [...projectIds] }, status: 'active' })
        .project<Pick<MembershipDocument, 'project_id' | 'user_id'>>({ project_id: 1, user_id: 1 })
        .toArray(),

    /** Makes a user an active member, also after an earlier membership ended; null if the user is one already. */
    async activate(
      projectId: ProjectId,
      userId: string,
      role: ProjectRole,
      invitedBy: string,
    ): Promise<MembershipDocument | null> {
      const _id = keyOf(projectId, userId);
      try {
        return await memberships.findOneAndUpdate(
          { _id, status: { $ne: 'active' } },
          {
            $set: { role, status: 'active', invited_by_user_id: invitedBy },
            $setOnInsert: {
              project_id: projectId,
              user_id: userId,
              last_accessed_at: null,
              created_at: new Date(),
            },
          },
          { upsert: true, returnDocument: 'after' },
        );
      } catch (thrown) {
        if (!isDuplicateKey(thrown)) throw thrown; // the filter did not match an active membership
        return null;
      }
    },

    /** Changes an active member's role; null if there is no such member. */
    changeRole: (
      projectId: ProjectId,
      userId: string,
      role: ProjectRole,
    ): Promise<MembershipDocument | null> =>
      memberships.findOneAndUpdate(
        { _id: keyOf(projectId, userId), status: 'active' },
        { $set: { role } },
        { returnDocument: 'after' },
      ),

    /** Ends a membership; false if there was none. */
    async revoke(projectId: ProjectId, userId: string): Promise<boolean> {
      const { matchedCount } = await memberships.updateOne(
        { _id: keyOf(projectId, userId), status: { $in: ['active', 'pending'] } },
        { $set: { status: 'revoked' } },
      );
      return matchedCount === 1;
    },

    /** Removes every membership of a user. */
    async removeOfUser(userId: string): Promise<void> {
      await memberships.deleteMany({ user_id: userId });
    },
  };
}
