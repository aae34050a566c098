import type { Collection } from 'mongodb';
import type { ProjectId, UserId } from '../../kernel/ids.ts';
import type { MembershipDocument, ProjectDocument, ProjectList } from './model.ts';
import { projectOf } from './wire.ts';

/** Sorts oldest first. */
function byAge(a: ProjectDocument, b: ProjectDocument): number {
  return a.created_at.getTime() - b.created_at.getTime() || (a._id < b._id ? -1 : 1);
}

/** Queries for the projects of users. */
export function createProjectLists({
  projects,
  memberships,
}: {
  projects: Collection<ProjectDocument>;
  memberships: Collection<MembershipDocument>;
}) {
  return {
    /** The projects that a user can enter, oldest first: owned ones, and those with an active membership. */
    async listFor(userId: UserId, only?: string): Promise<ProjectList> {
      const [mine, owned] = await Promise.all([
        memberships
          .find({ user_id: userId, status: 'active' })
          .project<{ project_id: ProjectId }>({ _id: 0, project_id: 1 })
          .toArray(),
        projects.find({ owner_user_id: userId }).toArray(),
      ]);
      const invited = await projects.find({ _id: { $in: mine.map((each) => each.project_id) } }).toArray();
      const all = [...new Map([...invited, ...owned].map((each) => [each._id, each])).values()];
      const found = only === undefined ? all : all.filter((each) => each._id === only);
      return { projects: found.sort(byAge).map(projectOf), total: found.length };
    },

    /** The active membership of a user who has exactly one; null with none or several. */
    async onlyMembership(userId: UserId): Promise<MembershipDocument | null> {
      const [first, second] = await memberships
        .find({ user_id: userId, status: 'active' })
        .sort({ project_id: 1 })
        .limit(2)
        .toArray();
      return first && !second ? first : null;
    },

    /** Number of projects that a user owns. */
    countOwned: (userId: UserId) => projects.countDocuments({ owner_user_id: userId }),

    /** The oldest project that a user owns. */
    ownedBy: (userId: UserId) =>
      projects.findOne({ owner_user_id: userId }, { sort: { created_at: 1, _id: 1 } }),

    /** All projects owned by any of the users, oldest first. */
    async ownedByAny(userIds: readonly UserId[]): Promise<ProjectDocument[]> {
      return (await projects.find({ owner_user_id: { $in: [...userIds] } }).toArray()).sort(byAge);
    },

    /** A page of all projects, oldest first, and the total number. */
    async page(skip: number, limit: number): Promise<{ projects: ProjectDocument[]; total: number }> {
      const [found, total] = await Promise.all([
        projects.find({}).sort({ created_at: 1, _id: 1 }).skip(skip).limit(limit).toArray(),
        projects.countDocuments({}),
      ]);
      return { projects: found, total };
    },
  };
}
