import { defineArea, type Kernel } from '../../kernel/area.ts';
import type { Accounts } from '../accounts/index.ts';
import type { Runs } from '../runs/index.ts';
import { enterProject, type NamedProject } from './access.ts';
import { createBelongings } from './belongings.ts';
import { createProjectDeletion, deletionIndexes } from './deletion.ts';
import { createMembers, findProject } from './members.ts';
import { createMembershipStore } from './membership-store.ts';
import type { Permission, ProjectDocument, ProjectScope } from './model.ts';
import { createProjectStore, projectIndexes } from './store.ts';

export type { Belongings } from './belongings.ts';
export { createProjectDeletion, deletionIndexes } from './deletion.ts';

export type Projects = ReturnType<typeof projects.create>;

/** Projects, who belongs to them, and how they are deleted. */
export const projects = defineArea({
  name: 'projects',
  indexes: [...projectIndexes, deletionIndexes],
  create({ db, engine, accounts, runs }: Kernel & { accounts: Accounts; runs: Pick<Runs, 'holder'> }) {
    const { users } = accounts;
    const store = createProjectStore(db);
    const memberships = createMembershipStore(db);
    /** Takes a project from everybody's view. */
    const hide = async (projectId: string) => {
      await store.remove(projectId);
      await users.clearDefaultProject(projectId);
    };
    const deletion = createProjectDeletion({ db, engine, holderOf: runs.holder, hide });
    return {
      ...store,
      /** As {@link findProject}. */
      read: (projectId: string): Promise<ProjectDocument> => findProject(store, projectId),
      /** As {@link enterProject}. */
      enter: (
        user: { _id: string; default_project_id: string | null },
        named: NamedProject,
        permission: Permission,
      ): Promise<ProjectScope> => enterProject(store, user, named, permission),
      hide,
      deletion,
      members: createMembers({ projects: store, memberships, users }),
      belongings: createBelongings({ projects: store, memberships, deletion }),
    };
  },
});
