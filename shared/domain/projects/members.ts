import { CalibronError } from '../../kernel/errors.ts';
import { type ProjectId, type UserId, userIdSchema } from '../../kernel/ids.ts';
import type { UserDocument } from '../accounts/model.ts';
import { ProjectError } from './errors.ts';
import type { MembershipStore } from './membership-store.ts';
import type {
  AdminMemberList,
  AdminProjectList,
  Member,
  MemberList,
  MembershipDocument,
  NewMember,
  Project,
  ProjectDocument,
  ProjectRole,
} from './model.ts';
import { idOfName, isConcealed, nameOfId, ownerMembership } from './rules.ts';
import type { ServiceAccounts } from './service-accounts.ts';
import type { ProjectSettings } from './settings.ts';
import { whyNoStart } from './starter-rules.ts';
import type { ProjectStore } from './store.ts';
import { createStrangerInvites } from './stranger-invites.ts';
import { adminMemberOf, adminProjectOf, concealedMemberOf, memberOf } from './wire.ts';

/** Stands in a membership for who gave it, where that was a group of the identity provider. */
const BY_GROUP = userIdSchema.parse('identity-provider');

export interface MemberDependencies {
  projects: ProjectStore;
  memberships: MembershipStore;
  /** The accounts' operations that members need. */
  users: {
    findByUsername(username: string): Promise<UserDocument | null>;
    findMany(userIds: readonly UserId[]): Promise<UserDocument[]>;
    taken(usernames: readonly string[]): Promise<UserDocument[]>;
    clearDefaultProject(projectId: ProjectId, userId: UserId): Promise<void>;
  };
  /** Pauses a user's schedules in a project, with a reason. */
  pauseSchedules(userId: UserId, reason: string, projectId: ProjectId): Promise<void>;
  settings: Pick<ProjectSettings, 'INVITES_PER_HOUR' | 'INVITE_STRANGERS'>;
  serviceAccounts: Pick<ServiceAccounts, 'follow'>;
}

/** Members of projects: listing, inviting, changing, removing, transferring ownership. */
export function createMembers(dependencies: MemberDependencies) {
  const { projects, memberships, users, pauseSchedules, settings, serviceAccounts } = dependencies;
  const strangerInvites = createStrangerInvites(settings.INVITES_PER_HOUR);

  /**
   * Whether an inviter may know that an account exists: both are in a project, or the account was in this one. An invite alone makes
   * no acquaintance.
   */
  async function isAcquainted(
    project: ProjectDocument,
    inviter: UserDocument,
    userId: UserId,
  ): Promise<boolean> {
    const [here, mine, owned, known] = await Promise.all([
      projects.membership(project._id, userId),
      projects.listFor(inviter._id),
      projects.ownedByAny([userId]),
      memberships.knownIn(userId),
    ]);
    if (userId === project.owner_user_id || (here && !isConcealed(here))) return true;
    const theirs = new Set([...owned.map((each) => each._id), ...known]);
    return mine.projects.some(({ project_id }) => theirs.has(project_id));
  }

  /** A user by name, for administrators: the error says whether the account exists. @throws not_found */
  async function findUser(username: string): Promise<UserDocument> {
    const user = await users.findByUsername(username);
    if (!user) throw noUser();
    return user;
  }

  /**
   * Who may be a member under a name. Without an account that is the invite of the name, so that it changes like that of a stranger;
   * with one, an invite made before the account existed becomes the account's.
   */
  async function findPossibleMember(project: ProjectDocument, username: string) {
    const [found, invited] = await Promise.all([
      users.findByUsername(username),
      projects.membership(project._id, idOfName(username)),
    ]);
    const isForeign = found?.service && found.service.project_id !== project._id;
    const user = isForeign ? null : found;
    if (user && invited) await memberships.claim(project._id, user);
    return { _id: user?._id ?? idOfName(username), user };
  }

  /**
   * The project's current members with their accounts; the owner is included even if no membership is stored.
   * @param show `everything` shows the accounts of concealed members, and leaves out names without an account
   */
  async function standing(project: ProjectDocument, show?: 'everything'): Promise<Member[]> {
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
      return user || isName ? [shown(project, membership, user ?? null, invitedBy)] : [];
    });
  }

  function shown(
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

  async function pauseUnlessStarting(project: ProjectDocument, user: UserDocument, role: ProjectRole | null) {
    const reason = whyNoStart(user.username, user, role);
    if (reason !== null) await pauseSchedules(user._id, reason, project._id);
  }

  async function one(
    project: ProjectDocument,
    membership: MembershipDocument,
    user: UserDocument | null,
  ): Promise<Member> {
    const inviter = membership.invited_by_user_id;
    const [invitedBy] = inviter === null ? [] : await users.findMany([inviter]);
    return shown(project, membership, user, invitedBy);
  }

  function refuseOwnerRole(role: ProjectRole): void {
    if (role === 'owner') {
      throw new ProjectError('owner_membership', 'A project has one owner. Transfer it to change the owner.');
    }
  }

  function refuseOwner(project: ProjectDocument, userId: UserId): void {
    if (userId === project.owner_user_id) {
      throw new ProjectError(
        'owner_membership',
        'The owner stays a member with all rights. Transfer the project first.',
      );
    }
  }

  return {
    /** The members of a project, oldest first. Only its owner sees removed and pending ones. */
    async list(project: ProjectDocument, role: ProjectRole): Promise<MemberList> {
      const members = (await standing(project)).filter(
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
      const members = await standing(await findProject(projects, projectId), 'everything');
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

    /**
     * Makes a user an active member, also after an earlier membership ended. Inviters who are not administrators may do so with a
     * limited number of strangers. Where strangers are concealed, the answer shows of one the same as of a name without an account,
     * whose invite is stored and gives nothing: an account made later under that name gets it when it is invited again.
     * Administrators learn that a name is unknown.
     * @returns null if the user is an active member already
     * @throws owner_membership for the role owner, not_found, too_many_requests after too many strangers
     */
    async invite(project: ProjectDocument, inviter: UserDocument, wanted: NewMember): Promise<Member | null> {
      const role = wanted.role ?? project.default_role;
      refuseOwnerRole(role);
      const { _id, user } = await findPossibleMember(project, wanted.username);
      const isAdministrator = inviter.system_role === 'admin';
      const isHidden = settings.INVITE_STRANGERS === 'concealed';
      if (user?.service || (isAdministrator && !user)) throw noUser();
      const isStranger = !isAdministrator && !(await isAcquainted(project, inviter, _id));
      if (isStranger) {
        strangerInvites.count(inviter._id);
        if (settings.INVITE_STRANGERS === 'off') throw noAcquaintance();
      }
      if (!user && !isHidden) throw noUser();
      if (_id === project.owner_user_id) return null;
      const membership = await memberships.activate(project._id, _id, role, {
        id: inviter._id,
        isStranger: isStranger && isHidden,
      });
      return membership && one(project, membership, user);
    },

    /**
     * Changes an active member's role; pauses the schedules of a member who may only read from now on. @throws
     * owner_membership, not_found
     */
    async changeRole(project: ProjectDocument, username: string, role: ProjectRole): Promise<Member> {
      const { _id, user } = await findPossibleMember(project, username);
      refuseOwner(project, _id);
      refuseOwnerRole(role);
      const membership = await memberships.changeRole(project._id, _id, role);
      if (!membership) throw noMember();
      if (user) await pauseUnlessStarting(project, user, role);
      return one(project, membership, user);
    },

    /**
     * Ends a membership: the project is no longer the user's default, and the user's schedules there are paused. @throws
     * owner_membership, not_found
     */
    async remove(project: ProjectDocument, username: string): Promise<void> {
      const { _id, user } = await findPossibleMember(project, username);
      refuseOwner(project, _id);
      if (!(await memberships.revoke(project._id, _id))) throw noMember();
      if (!user) return;
      await users.clearDefaultProject(project._id, _id);
      await pauseUnlessStarting(project, user, null);
    },

    /**
     * Gives a user the role that the identity provider's groups give in a project, and ends a membership that they gave before.
     * Memberships that people gave stay as they are.
     */
    async followGroup(project: ProjectDocument, user: UserDocument, role: ProjectRole | null): Promise<void> {
      if (user._id === project.owner_user_id) return;
      const [present] = await memberships.activeAmong(project._id, [user._id]);
      if (present && present.invited_by_user_id !== BY_GROUP) return;
      if (!present && role)
        await memberships.activate(project._id, user._id, role, { id: BY_GROUP, isStranger: false });
      if (present && role && role !== present.role) {
        await memberships.changeRole(project._id, user._id, role);
      }
      if (present && !role) {
        await memberships.revoke(project._id, user._id);
        await users.clearDefaultProject(project._id, user._id);
      }
      await pauseUnlessStarting(project, user, role);
    },

    /** Transfers the ownership of a project. @throws not_found, already_exists for its owner, conflict */
    async transfer(projectId: ProjectId, username: string): Promise<Project> {
      const project = await findProject(projects, projectId);
      const user = await findUser(username);
      if (user._id === project.owner_user_id) {
        throw new CalibronError('already_exists', `${username} owns this project already.`);
      }
      if (user.service) throw noUser();
      if (user.disabled) throw new CalibronError('conflict', `The account ${username} is disabled.`);
      const transferred = await projects.transfer(project, { user_id: user._id, username });
      await serviceAccounts.follow(projectId, user._id);
      return transferred;
    },
  };
}

/** A project by its id, without checking a membership. @throws not_found */
export async function findProject(projects: ProjectStore, projectId: ProjectId): Promise<ProjectDocument> {
  const project = await projects.find(projectId);
  if (!project) throw new CalibronError('not_found', 'There is no such project.');
  return project;
}

function noUser(): CalibronError {
  return new CalibronError('not_found', 'There is no such user.');
}

function noAcquaintance(): CalibronError {
  return new CalibronError(
    'not_found',
    'You share no project with such a user. A system administrator can add users to your project.',
  );
}

function noMember(): CalibronError {
  return new CalibronError('not_found', 'This user is not a member of the project.');
}
