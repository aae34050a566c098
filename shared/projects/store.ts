import type { CollectionIndexes, Db } from '../database.ts';
import { isDuplicateKey, retryDuplicateKey } from '../database.ts';
import { CalibronError } from '../errors.ts';
import { keyOf, newId } from '../ids.ts';
import type { NewProject, Project, ProjectList, StoredMembership, StoredProject } from './model.ts';
import { accessNoteInterval, wireProject } from './rules.ts';

export const projectIndexes: CollectionIndexes[] = [
  {
    collection: 'projects',
    indexes: [
      { name: 'owner_name', key: { owner_user_id: 1, name: 1 }, unique: true },
      { name: 'owner_age', key: { owner_user_id: 1, created_at: 1, _id: 1 } },
    ],
  },
  {
    collection: 'memberships',
    indexes: [{ name: 'user_status', key: { user_id: 1, status: 1, project_id: 1 } }],
  },
];

/** Projects and who belongs to them. */
export function createProjectStore(db: Db) {
  const projects = db.collection<StoredProject>('projects');
  const memberships = db.collection<StoredMembership>('memberships');

  /**
   * Writes the membership, then the project: what a crash leaves between them is a membership of
   * nothing, which no read shows.
   */
  async function insert(owner: { user_id: string }, project: StoredProject): Promise<void> {
    const membership: Omit<StoredMembership, '_id'> = {
      project_id: project._id,
      user_id: owner.user_id,
      role: 'owner',
      status: 'active',
      invited_by_user_id: null,
      last_accessed_at: null,
      created_at: project.created_at,
    };
    const membershipKey = { _id: keyOf(project._id, owner.user_id) };
    await retryDuplicateKey(() =>
      memberships.updateOne(membershipKey, { $setOnInsert: membership }, { upsert: true }),
    );
    await projects.insertOne(project);
  }

  function newStored(
    owner: { user_id: string; username: string },
    projectId: string,
    fields: NewProject,
  ): StoredProject {
    const now = new Date();
    return {
      _id: projectId,
      owner_user_id: owner.user_id,
      owner_username: owner.username,
      ...fields,
      default_role: 'viewer',
      created_at: now,
      updated_at: now,
    };
  }

  return {
    find: (projectId: string) => projects.findOne({ _id: projectId }),

    membership: (projectId: string, userId: string) => memberships.findOne({ _id: keyOf(projectId, userId) }),

    /** Creates a project whose owner is the given user. @throws conflict when the owner has one of that name. */
    async create(owner: { user_id: string; username: string }, fields: NewProject): Promise<Project> {
      const project = newStored(owner, newId(), fields);
      try {
        await insert(owner, project);
      } catch (thrown) {
        if (!isDuplicateKey(thrown)) throw thrown;
        await memberships.deleteOne({ _id: keyOf(project._id, owner.user_id) });
        throw new CalibronError('conflict', 'You already own a project with this name.');
      }
      return wireProject(project);
    },

    /** Creates a project under a given id; does nothing when it is there. */
    async ensure(
      owner: { user_id: string; username: string },
      wanted: { project_id: string; name: string },
    ): Promise<void> {
      if (await projects.findOne({ _id: wanted.project_id }, { projection: { _id: 1 } })) return;
      const fields = { name: wanted.name, description: null, tags: [] };
      try {
        await insert(owner, newStored(owner, wanted.project_id, fields));
      } catch (thrown) {
        if (!isDuplicateKey(thrown)) throw thrown; // another process was first
      }
    },

    /** The projects that a user can enter, oldest first. */
    async listFor(userId: string): Promise<ProjectList> {
      const mine = await memberships
        .find({ user_id: userId, status: 'active' })
        .project<{ project_id: string }>({ _id: 0, project_id: 1 })
        .toArray();
      const found = await projects.find({ _id: { $in: mine.map((each) => each.project_id) } }).toArray();
      found.sort((a, b) => a.created_at.getTime() - b.created_at.getTime() || (a._id < b._id ? -1 : 1));
      return { projects: found.map(wireProject), total: found.length };
    },

    /** The oldest project that a user owns. */
    ownedBy: (userId: string) =>
      projects.findOne({ owner_user_id: userId }, { sort: { created_at: 1, _id: 1 } }),

    /** Notes that a member used the project, at most once a minute. */
    async noteAccess(membership: StoredMembership, now: Date): Promise<void> {
      const stale = new Date(now.getTime() - accessNoteInterval);
      const last = membership.last_accessed_at;
      if (last && last > stale) return;
      await memberships.updateOne(
        { _id: membership._id, last_accessed_at: last },
        { $set: { last_accessed_at: now } },
      );
    },
  };
}

export type ProjectStore = ReturnType<typeof createProjectStore>;
