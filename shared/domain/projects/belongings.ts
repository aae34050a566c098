import type { ProjectDeletion } from './deletion.ts';
import type { MembershipStore } from './membership-store.ts';
import type { ProjectStore } from './store.ts';

export type Belongings = ReturnType<typeof createBelongings>;

/** What users have in projects: those they own, and memberships. */
export function createBelongings(dependencies: {
  projects: ProjectStore;
  memberships: MembershipStore;
  deletion: ProjectDeletion;
}) {
  const { projects, memberships, deletion } = dependencies;
  const ownedIds = async (userId: string) => (await projects.ownedByAny([userId])).map((each) => each._id);
  return {
    /** For each of the users that owns projects, the id of the oldest. */
    async oldestOwned(userIds: readonly string[]): Promise<Map<string, string>> {
      const owned = await projects.ownedByAny(userIds);
      return new Map(owned.reverse().map((each) => [each.owner_user_id, each._id]));
    },

    /** @throws project_busy while a run holds a project of the user */
    async assertFree(userId: string): Promise<void> {
      await deletion.assertFree(await ownedIds(userId));
    },

    /** Deletes every project and every membership of a user; safe to repeat. @throws project_busy */
    async remove(userId: string): Promise<void> {
      for (const projectId of await ownedIds(userId)) await deletion.delete(projectId);
      await memberships.removeOfUser(userId);
    },
  };
}
