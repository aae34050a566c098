import type { ProjectId, UserId } from '../../kernel/ids.ts';
import type { ProjectDeletion } from './deletion.ts';
import type { MembershipStore } from './membership-store.ts';
import type { ProjectStore } from './store.ts';

export type Belongings = ReturnType<typeof createBelongings>;

/** Users' owned projects and memberships. */
export function createBelongings(dependencies: {
  projects: ProjectStore;
  memberships: MembershipStore;
  deletion: ProjectDeletion;
}) {
  const { projects, memberships, deletion } = dependencies;
  const ownedIds = async (userId: UserId) => (await projects.ownedByAny([userId])).map((each) => each._id);
  return {
    /** The id of the oldest owned project, for each user that owns projects. */
    async oldestOwned(userIds: readonly UserId[]): Promise<Map<string, ProjectId>> {
      const owned = await projects.ownedByAny(userIds);
      return new Map(owned.reverse().map((each) => [each.owner_user_id, each._id]));
    },

    /** @throws project_busy if a run holds a project of the user */
    async assertFree(userId: UserId): Promise<void> {
      await deletion.assertFree(await ownedIds(userId));
    },

    /** Deletes all projects and memberships of a user; idempotent. @throws project_busy */
    async remove(user: { _id: UserId; username: string }): Promise<void> {
      for (const projectId of await ownedIds(user._id)) await deletion.delete(projectId, user._id);
      await memberships.removeOfUser(user);
    },
  };
}
