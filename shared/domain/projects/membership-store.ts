import type { Db } from '../../kernel/database.ts';
import { isDuplicateKey, retryDuplicateKey } from '../../kernel/database.ts';
import { keyOf, type ProjectId, type UserId } from '../../kernel/ids.ts';
import { newUserId } from '../../kernel/new-ids.ts';
import type { MembershipDocument, ProjectRole } from './model.ts';
import { idOfName, isConcealed } from './rules.ts';

export type MembershipStore = ReturnType<typeof createMembershipStore>;

/** Memberships of projects. The owner is stored in the project, not here. */
export function createMembershipStore(db: Db) {
  const memberships = db.collection<MembershipDocument>('memberships');
  return {
    /** The memberships of a project, oldest first. */
    ofProject: (projectId: ProjectId) =>
      memberships.find({ project_id: projectId }).sort({ created_at: 1, _id: 1 }).toArray(),

    /** The given users' active memberships in a project. */
    activeAmong: (projectId: ProjectId, userIds: readonly UserId[]) =>
      memberships
        .find({ _id: { $in: userIds.map((userId) => keyOf(projectId, userId)) }, status: 'active' })
        .toArray(),

    /** The active memberships of several projects. */
    activeOf: (projectIds: readonly ProjectId[]) =>
      memberships
        .find({ project_id: { $in: [...projectIds] }, status: 'active' })
        .project<Pick<MembershipDocument, 'project_id' | 'user_id'>>({ project_id: 1, user_id: 1 })
        .toArray(),

    /**
     * Makes a user an active member, also after an earlier membership ended; null if the user is one already.
     * @param by the inviter; to whom the user is a stranger, nothing of the account is shown until that user has entered the project
     */
    async activate(
      projectId: ProjectId,
      userId: UserId,
      role: ProjectRole,
      by: { id: UserId; isStranger: boolean },
    ): Promise<MembershipDocument | null> {
      const _id = keyOf(projectId, userId);
      try {
        return await memberships.findOneAndUpdate(
          { _id, status: { $ne: 'active' } },
          {
            $set: { role, status: 'active', invited_by_user_id: by.id },
            $setOnInsert: {
              project_id: projectId,
              user_id: userId,
              last_accessed_at: null,
              created_at: new Date(),
              ...(by.isStranger && { shown_id: newUserId() }),
            },
            ...(!by.isStranger && { $unset: { shown_id: '' } }),
          },
          { upsert: true, returnDocument: 'after' },
        );
      } catch (thrown) {
        if (!isDuplicateKey(thrown)) throw thrown; // the filter did not match an active membership
        return null;
      }
    },

    /** Gives an account the invite of its name in a project that was made before the account was. */
    async claim(projectId: ProjectId, user: { _id: UserId; username: string }): Promise<void> {
      const stored = await memberships.findOneAndDelete({ _id: keyOf(projectId, idOfName(user.username)) });
      if (!stored) return;
      try {
        await memberships.insertOne({ ...stored, _id: keyOf(projectId, user._id), user_id: user._id });
      } catch (thrown) {
        if (!isDuplicateKey(thrown)) throw thrown; // the account became a member in another way
      }
    },

    /** The projects in which a user is an active member and known to the other members. */
    async knownIn(userId: UserId): Promise<ProjectId[]> {
      const found = await memberships
        .find({
          user_id: userId,
          status: 'active',
          $or: [{ shown_id: { $exists: false } }, { last_accessed_at: { $ne: null } }],
        })
        .project<{ project_id: ProjectId }>({ _id: 0, project_id: 1 })
        .toArray();
      return found.map((each) => each.project_id);
    },

    /** Changes an active member's role; null if there is no such member. */
    changeRole: (
      projectId: ProjectId,
      userId: UserId,
      role: ProjectRole,
    ): Promise<MembershipDocument | null> =>
      memberships.findOneAndUpdate(
        { _id: keyOf(projectId, userId), status: 'active' },
        { $set: { role } },
        { returnDocument: 'after' },
      ),

    /** Ends a membership; false if there was none. */
    async revoke(projectId: ProjectId, userId: UserId): Promise<boolean> {
      const { matchedCount } = await memberships.updateOne(
        { _id: keyOf(projectId, userId), status: { $in: ['active', 'pending'] } },
        { $set: { status: 'revoked' } },
      );
      return matchedCount === 1;
    },

    /**
     * Removes every membership of a user. Where nothing is shown of the account, the invite of its name stays, so that the list of
     * members does not tell that there was one.
     */
    async removeOfUser({ _id: userId, username }: { _id: UserId; username: string }): Promise<void> {
      const user_id = idOfName(username);
      const stored = await memberships.find({ user_id: userId }).toArray();
      for (const each of stored.filter(isConcealed)) {
        const $setOnInsert = { ...each, _id: keyOf(each.project_id, user_id), user_id };
        await retryDuplicateKey(() =>
          memberships.updateOne({ _id: $setOnInsert._id }, { $setOnInsert }, { upsert: true }),
        );
      }
      await memberships.deleteMany({ user_id: userId });
    },
  };
}
