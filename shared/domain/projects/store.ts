import { coalesced } from '../../kernel/coalesced-reads.ts';
import type { CollectionIndexes, Db } from '../../kernel/database.ts';
import { isDuplicateKey, retryDuplicateKey } from '../../kernel/database.ts';
import { CalibronError } from '../../kernel/errors.ts';
import { keyOf, type ProjectId, type UserId } from '../../kernel/ids.ts';
import { insertNew } from '../../kernel/insert-new.ts';
import { newProjectId } from '../../kernel/new-ids.ts';
import type { MembershipDocument, NewProject, Project, ProjectChange, ProjectDocument } from './model.ts';
import { createProjectLists } from './project-lists.ts';
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

  /** A new project as it is stored. */
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

    ...createProjectLists({ projects, memberships }),

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
