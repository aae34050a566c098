import type { ProjectId, UserId } from '../../kernel/ids.ts';
import type { UserDocument } from '../accounts/model.ts';
import { findProject } from './find-project.ts';
import type { MembershipStore } from './membership-store.ts';
import type {
  AdminMemberList,
  AdminProjectList,
  Member,
  MemberList,
  MembershipDocument,
  ProjectDocument,
  ProjectRole,
} from './model.ts';
import { isConcealed, nameOfId, ownerMembership } from './rules.ts';
import type { ProjectStore } from './store.ts';
import { adminMemberOf, adminProjectOf, concealedMemberOf, memberOf } from './wire.ts';

export interface MemberListDependencies {
  projects: Pick<ProjectStore, 'find' | 'page'>;
  memberships: Pick<MembershipStore, 'ofProject' | 'activeAmong' | 'activeOf'>;
  users: {
    findMany(userIds: readonly UserId[]): Promise<UserDocument[]>;
    taken(usernames: readonly string[]): Promise<UserDocument[]>;
  };
}

/** Lists of the members of projects. */
export function createMemberLists({ projects, memberships, users }: MemberListDependencies) {
  /**
   * The project's current members with their accounts; the owner is included even if no membership is stored.
   * @param show `everything` shows the accounts of concealed members, and leaves out names without an account
   */
  async function membersOf(project: ProjectDocument, show?: 'everything'): Promise<Member[]> {
    const stored = await memberships.ofProject(project._id);
    const ids = stored.flatMap((each) => [
      each.user_id,
      ...(each.invited_by_user_id ? [each.invited_by_user_id] : []),
    ]);
    const accounts = await users.findMany([...new Set([...ids, project.owner_user_id])]);
    const byId = new Map(accounts.map((user) => [user._id, user]));
    const isStored = stored.some((each) => each.user_id === project.owner_user_id);
    const rows = isStored
      ? stored
      : [ownerMembership(project._id, project.owner_user_id, project.created_at), ...stored];
    return rows.flatMap((membership) => {
      const user = byId.get(membership.user_id);
      const { invited_by_user_id } = membership;
      const invitedBy = invited_by_user_id === null ? undefined : byId.get(invited_by_user_id);
      if (show === 'everything') return user ? [memberOf(project, membership, user, invitedBy)] : [];
      const isName = nameOfId(membership.user_id) !== null;
      return user || isName ? [shownMember(project, membership, user ?? null, invitedBy)] : [];
    });
  }

  return {
    /** The members of a project, oldest first. Only its owner sees removed and pending ones. */
    async list(project: ProjectDocument, role: ProjectRole): Promise<MemberList> {
      const members = (await membersOf(project)).filter(
        (member) => role === 'owner' || member.status === 'active',
      );
      return { members, total: members.length };
    },

    /**
     * The named users who may work in a project: active members with an enabled account, including its owner. Concealed members are
     * left out, because this answers questions about usernames.
     */
    async working(
      projectId: ProjectId,
      named: { usernames?: readonly string[]; userIds?: readonly UserId[] },
    ): Promise<UserDocument[]> {
      const [project, byName, byId] = await Promise.all([
        projects.find(projectId),
        named.usernames?.length ? users.taken(named.usernames) : [],
        named.userIds?.length ? users.findMany(named.userIds) : [],
      ]);
      if (!project) return [];
      const found = new Map([...byName, ...byId].map((user) => [user._id, user]));
      const active = await memberships.activeAmong(projectId, [...found.keys()]);
      const known = active.filter((each) => !isConcealed(each));
      const members = new Set([...known.map((each) => each.user_id), project.owner_user_id]);
      return [...found.values()].filter((user) => !user.disabled && members.has(user._id));
    },

    /** All users who may work in a project. */
    async allWorking(projectId: ProjectId): Promise<UserDocument[]> {
      const [project, stored] = await Promise.all([
        projects.find(projectId),
        memberships.ofProject(projectId),
      ]);
      if (!project) return [];
      const active = stored.filter((each) => each.status === 'active').map((each) => each.user_id);
      const accounts = await users.findMany([...new Set([...active, project.owner_user_id])]);
      return accounts.filter((user) => !user.disabled);
    },

    /** The active members of a project with their accounts, for administrators. @throws not_found */
    async listForAdministrator(projectId: ProjectId): Promise<AdminMemberList> {
      const members = await membersOf(await findProject(projects, projectId), 'everything');
      const active = members.filter((member) => member.status === 'active').map(adminMemberOf);
      return { members: active, total: active.length };
    },

    /** A page of all projects, oldest first, with the number of their active members. */
    async listProjects(skip: number, limit: number): Promise<AdminProjectList> {
      const page = await projects.page(skip, limit);
      const active = new Map(page.projects.map((each) => [each._id, new Set([each.owner_user_id])]));
      for (const { project_id, user_id } of await memberships.activeOf([...active.keys()])) {
        if (nameOfId(user_id) === null) active.get(project_id)?.add(user_id);
      }
      return {
        projects: page.projects.map((each) => adminProjectOf(each, active.get(each._id)?.size ?? 0)),
        total: page.total,
      };
    },
  };
}

/** A member as other members see it: of a concealed one only the name. */
export function shownMember(
  project: ProjectDocument,
  membership: MembershipDocument,
  user: UserDocument | null,
  invitedBy: UserDocument | undefined,
): Member {
  if (user && !(isConcealed(membership) && user._id !== project.owner_user_id)) {
    return memberOf(project, membership, user, invitedBy);
  }
  const username = user?.username ?? nameOfId(membership.user_id) ?? '';
  return concealedMemberOf(project, membership, username, invitedBy);
}
