import type { Collection } from 'mongodb';
import type { ProjectId, UserId } from '../../kernel/ids.ts';
import type { UserDocument } from './model.ts';

/** The service accounts of projects, which are stored as users. */
export function createServiceAccountStore(users: Collection<UserDocument>) {
  return {
    /** The service accounts of a project, by username. */
    serviceAccounts: (projectId: ProjectId) =>
      users.find({ 'service.project_id': projectId }).sort({ username: 1 }).toArray(),

    /** The service accounts of a project use the share of its new owner from now on. @returns their ids */
    async shareServiceAccounts(projectId: ProjectId, ownerUserId: UserId): Promise<UserId[]> {
      await users.updateMany(
        { 'service.project_id': projectId },
        { $set: { 'service.share_user_id': ownerUserId } },
      );
      const found = await users.find({ 'service.project_id': projectId }).toArray();
      return found.map(({ _id }) => _id);
    },

    /** Removes the service accounts of a project. @returns their ids */
    async removeServiceAccounts(projectId: ProjectId): Promise<UserId[]> {
      const found = await users.find({ 'service.project_id': projectId }).toArray();
      if (found.length > 0) await users.deleteMany({ 'service.project_id': projectId });
      return found.map((each) => each._id);
    },
  };
}
