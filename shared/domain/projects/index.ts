import { defineArea, type Kernel } from '../../kernel/area.ts';
import type { ProjectId, UserId } from '../../kernel/ids.ts';
import { assertRoomWithin } from '../../kernel/quotas.ts';
import type { Accounts } from '../accounts/index.ts';
import type { Runs } from '../runs/index.ts';
import type { Schedules } from '../schedules/index.ts';
import { type Entering, enterProject, type NamedProject } from './access.ts';
import { createBelongings } from './belongings.ts';
import { createProjectDeletion, deletionIndexes } from './deletion.ts';
import { findProject } from './find-project.ts';
import { createMembers } from './members.ts';
import { createMembershipStore } from './membership-store.ts';
import type { NewProject, Permission, Project, ProjectDocument, ProjectScope } from './model.ts';
import { roleIn } from './rules.ts';
import { createServiceAccounts } from './service-accounts.ts';
import type { ProjectSettings } from './settings.ts';
import { whyNoStart } from './starter-rules.ts';
import { createProjectStore, projectIndexes } from './store.ts';
import { createTokenOwners } from './token-owners.ts';

export type { Belongings } from './belongings.ts';
export { createProjectDeletion, deletionIndexes } from './deletion.ts';

interface Needs extends Kernel<ProjectSettings> {
  accounts: Accounts;
  runs: Pick<Runs, 'lastingHolder'>;
  schedules: Pick<Schedules, 'pauseOf'>;
}

export type Projects = ReturnType<typeof projects.create>;

/** Projects, their members, and their deletion. */
export const projects = defineArea({
  name: 'projects',
  indexes: [...projectIndexes, deletionIndexes],
  create({ db, engine, settings, accounts, runs, schedules }: Needs) {
    const { users, programTokens } = accounts;
    const store = createProjectStore(db);
    const memberships = createMembershipStore(db);
    const serviceAccounts = createServiceAccounts({
      users,
      programTokens,
      memberships,
      settings,
      pauseSchedules: schedules.pauseOf,
    });
    const enter = (caller: Entering, named: NamedProject, permission: Permission): Promise<ProjectScope> =>
      enterProject(store, caller, named, permission);
    /** Hides a project from all users. */
    const hide = async (projectId: ProjectId) => {
      await store.remove(projectId);
      await users.clearDefaultProject(projectId);
      await serviceAccounts.removeOfProject(projectId);
    };
    const deletion = createProjectDeletion({ db, engine, lastingHolder: runs.lastingHolder, hide });
    return {
      ...store,
      /** Creates a project owned by the given user. @throws quota_exceeded, conflict if the owner has one of that name */
      async create(owner: { user_id: UserId; username: string }, fields: NewProject): Promise<Project> {
        const quota = {
          holder: 'This user',
          things: 'projects',
          limit: settings.PROJECTS_PER_USER,
          setting: 'PROJECTS_PER_USER',
        } as const;
        assertRoomWithin(quota, await store.countOwned(owner.user_id));
        return store.create(owner, fields);
      },
      /** As {@link findProject}. */
      read: (projectId: ProjectId): Promise<ProjectDocument> => findProject(store, projectId),
      /** As {@link enterProject}. */
      enter,
      serviceAccounts,
      tokenOwners: createTokenOwners({ users, programTokens, enter }),
      /** The reason why runs cannot start in a user's name in a project, as a message; null if they can. */
      async whyNoStart(projectId: ProjectId, userId: UserId, username: string): Promise<string | null> {
        const [project, membership, [account]] = await Promise.all([
          store.find(projectId),
          store.membership(projectId, userId),
          users.findMany([userId]),
        ]);
        return whyNoStart(username, account ?? null, project && roleIn(project, membership, userId));
      },
      hide,
      deletion,
      members: createMembers({
        projects: store,
        memberships,
        users,
        pauseSchedules: schedules.pauseOf,
        settings,
        serviceAccounts,
      }),
      belongings: createBelongings({ projects: store, memberships, deletion }),
    };
  },
});
