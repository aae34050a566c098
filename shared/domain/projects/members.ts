import { CalibronError } from '../../kernel/errors.ts';
import { type ProjectId, type UserId, userIdSchema } from '../../kernel/ids.ts';
import type { UserDocument } from '../accounts/model.ts';
import { ProjectError } from './errors.ts';
import { findProject } from './find-project.ts';
import { createMemberLists, shownMember } from './member-lists.ts';
import type { MembershipStore } from './membership-store.ts';
import type {
  Member,
  MembershipDocument,
  NewMember,
  Project,
  ProjectDocument,
  ProjectRole,
} from './model.ts';
import { createPossibleMembers } from './possible-members.ts';
import type { ServiceAccounts } from './service-accounts.ts';
import type { ProjectSettings } from './settings.ts';
import { whyNoStart } from './starter-rules.ts';
import type { ProjectStore } from './store.ts';
import { createStrangerInvites } from './stranger-invites.ts';

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
  const possibleMembers = createPossibleMembers(dependencies);

  /** A user by name, for administrators: the error says whether the account exists. @throws not_found */
  async function findUser(username: string): Promise<UserDocument> {
    const user = await users.findByUsername(username);
    if (!user) throw noUser();
    return user;
  }

  async function pauseUnlessStarting(project: ProjectDocument, user: UserDocument, role: ProjectRole | null) {
    const reason = whyNoStart(user.username, user, role);
    if (reason !== null) await pauseSchedules(user._id, reason, project._id);
  }

  /** One member as other members see it. */
  async function one(
    project: ProjectDocument,
    membership: MembershipDocument,
    user: UserDocument | null,
  ): Promise<Member> {
    const inviter = membership.invited_by_user_id;
    const [invitedBy] = inviter === null ? [] : await users.findMany([inviter]);
    return shownMember(project, membership, user, invitedBy);
  }

  return {
    ...createMemberLists(dependencies),

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
      const { _id, user } = await possibleMembers.find(project, wanted.username);
      const isAdministrator = inviter.system_role === 'admin';
      const isHidden = settings.INVITE_STRANGERS === 'concealed';
      if (user?.service || (isAdministrator && !user)) throw noUser();
      const isStranger = !isAdministrator && !(await possibleMembers.isAcquainted(project, inviter, _id));
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
      const { _id, user } = await possibleMembers.find(project, username);
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
      const { _id, user } = await possibleMembers.find(project, username);
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
