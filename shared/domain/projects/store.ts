import { coalesced } from '../../kernel/coalesced-reads.ts';
import type { CollectionIndexes, Db } from '../../kernel/database.ts';
import { isDuplicateKey, retryDuplicateKey } from '../../kernel/database.ts';
import { CalibronError } from '../../kernel/errors.ts';
import { keyOf, type ProjectId, type UserId } from '../../kernel/ids.ts';
import { insertNew } from '../../kernel/insert-new.ts';
import { newProjectId } from '../../kernel/new-ids.ts';
import type {
  MembershipDocument,
  NewProject,
  Project,
  ProjectChange,
  ProjectDocument,
  ProjectList,
} from './model.ts';
import { ACCESS_NOTE_INTERVAL, ownerMembership } from './rules.ts';
import { projectOf } from './wire.ts';

export const projectIndexes: CollectionIndexes[] = [
  {
    collection: 'projects',
    indexes: [
      { name: 'owner_name', key: { owner_user_id: 1, name: 1 }, unique: true },
      { name: 'owner_age', key: { owner_user_id: 1, created_at: 1, _id: 1 } },
      { name: 'by_age', key: { created_at: 1, _id: 1 } },
    ],
  },
  {
    collection: 'memberships',
    indexes: [
      { name: 'user_status', key: { user_id: 1, status: 1, project_id: 1 } },
      { name: 'project_age', key: { project_id: 1, created_at: 1, _id: 1 } },
    ],
  },
];

/** Sorts oldest first. */
function byAge(a: ProjectDocument, b: ProjectDocument): number {
  return a.created_at.getTime() - b.created_at.getTime() || (a._id < b._id ? -1 : 1);
}

/** Projects, with the queries that members' requests need. */
export function createProjectStore(db: Db) {
  const projects = db.collection<ProjectDocument>('projects');
  const memberships = db.collection<MembershipDocument>('memberships');

  /** Stores an owner's membership if it is missing. */
  async function ensureOwnerMembership(projectId: ProjectId, userId: UserId, now: Date): Promise<void> {
    const { _id, ...fields } = ownerMembership(projectId, userId, now);
    await retryDuplicateKey(() => memberships.updateOne({ _id }, { $setOnInsert: fields }, { upsert: true }));
  }

  /**
   * Writes the membership before the project. A crash between them leaves a membership without a project, which no read
   * shows.
   */
  async function insert(project: ProjectDocument): Promise<void> {
    await ensureOwnerMembership(project._id, project.owner_user_id, project.created_at);
    await insertNew(projects, project);
  }

  function newStored(
    owner: { user_id: UserId; username: string },
    projectId: ProjectId,
    fields: NewProject,
  ): ProjectDocument {
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

  const membershipOf = coalesced((ids) => memberships.find({ _id: { $in: [...ids] } }).toArray());

  return {
    find: coalesced((ids: readonly ProjectId[]) => projects.find({ _id: { $in: [...ids] } }).toArray()),

    membership: (projectId: ProjectId, userId: UserId) => membershipOf(keyOf(projectId, userId)),

    /** Creates a project owned by the given user. @throws conflict if the owner has one of that name */
    async create(owner: { user_id: UserId; username: string }, fields: NewProject): Promise<Project> {
      const project = newStored(owner, newProjectId(), fields);
      try {
        await insert(project);
      } catch (thrown) {
        if (!isDuplicateKey(thrown)) throw thrown;
        await memberships.deleteOne({ _id: keyOf(project._id, owner.user_id) });
        throw new CalibronError('conflict', 'You already own a project with this name.');
      }
      return projectOf(project);
    },

    /** Creates a project with a given id; does nothing if it, or one with the same owner and name, exists. */
    async ensure(
      owner: { user_id: UserId; username: string },
      wanted: { project_id: ProjectId; name: string },
    ): Promise<void> {
      if (await projects.findOne({ _id: wanted.project_id }, { projection: { _id: 1 } })) return;
      const fields = { name: wanted.name, description: null, tags: [] };
      try {
        await insert(newStored(owner, wanted.project_id, fields));
      } catch (thrown) {
        if (!isDuplicateKey(thrown)) throw thrown; // another process created it first
        if (await projects.findOne({ _id: wanted.project_id }, { projection: { _id: 1 } })) return;
        await memberships.deleteOne({ _id: keyOf(wanted.project_id, owner.user_id) });
      }
    },

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

    /** Changes fields of a project. @throws not_found, conflict if the owner has another one of that name */
    async change(projectId: ProjectId, wanted: ProjectChange): Promise<Project> {
      const given = Object.entries(wanted).filter(([, value]) => value !== null && value !== undefined);
      try {
        const changed = await projects.findOneAndUpdate(
          { _id: projectId },
          { $set: { ...Object.fromEntries(given), updated_at: new Date() } },
          { returnDocument: 'after' },
        );
        if (!changed) throw new CalibronError('not_found', 'There is no such project.');
        return projectOf(changed);
      } catch (thrown) {
        if (!isDuplicateKey(thrown)) throw thrown;
        throw new CalibronError('conflict', 'The owner has another project with this name.');
      }
    },

    /**
     * Transfers a project to another owner with one write, so that a reader sees either the old owner or the new one. The
     * former owner becomes an editor.
     * @throws conflict if the new owner has a project of that name, or the owner changed meanwhile
     */
    async transfer(project: ProjectDocument, owner: { user_id: UserId; username: string }): Promise<Project> {
      const now = new Date();
      const { _id, owner_user_id } = project;
      // Has no visible effect before the change, because the project's owner is an active member anyway.
      await ensureOwnerMembership(_id, owner_user_id, now);
      await memberships.updateOne({ _id: keyOf(_id, owner_user_id) }, { $set: { status: 'active' } });
      let changed: ProjectDocument | null;
      try {
        changed = await projects.findOneAndUpdate(
          { _id, owner_user_id },
          { $set: { owner_user_id: owner.user_id, owner_username: owner.username, updated_at: now } },
          { returnDocument: 'after' },
        );
      } catch (thrown) {
        if (!isDuplicateKey(thrown)) throw thrown;
        throw new CalibronError('conflict', `${owner.username} owns a project with this name already.`);
      }
      if (!changed) throw new CalibronError('conflict', 'The project changed hands at the same moment.');
      // After the change these writes only store what reads already return.
      await ensureOwnerMembership(_id, owner.user_id, now);
      const owns = { role: 'owner', status: 'active' } as const;
      await memberships.updateOne({ _id: keyOf(_id, owner.user_id) }, { $set: owns });
      await memberships.updateOne({ _id: keyOf(_id, owner_user_id) }, { $set: { role: 'editor' } });
      return projectOf(changed);
    },

    /** Hides a project from all users. */
    async remove(projectId: ProjectId): Promise<void> {
      await projects.deleteOne({ _id: projectId });
    },

    /** Records that a member used the project, at most once a minute. */
    async noteAccess(membership: MembershipDocument, now: Date): Promise<void> {
      const stale = new Date(now.getTime() - ACCESS_NOTE_INTERVAL);
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
