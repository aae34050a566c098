import { randomBytes } from 'node:crypto';
import { CalibronError } from '../../kernel/errors.ts';
import type { ProjectId, UserId } from '../../kernel/ids.ts';
import { sha256 } from '../../kernel/new-ids.ts';
import { owningUser } from '../../kernel/owning-user.ts';
import { assertRoomWithin } from '../../kernel/quotas.ts';
import { serviceAccountId } from '../../kernel/sharing-accounts.ts';
import type { ProgramTokens, UserStore } from '../accounts/index.ts';
import type { UserDocument } from '../accounts/model.ts';
import { trimmedOrNull } from '../accounts/rules.ts';
import type { MembershipStore } from './membership-store.ts';
import type { ProjectDocument } from './model.ts';
import type {
  NewServiceAccount,
  ServiceAccount,
  ServiceAccountChange,
  ServiceAccountList,
  ServiceAccountRequest,
} from './service-account-model.ts';
import type { ProjectSettings } from './settings.ts';

export interface ServiceAccountDependencies {
  users: UserStore;
  programTokens: ProgramTokens;
  memberships: MembershipStore;
  settings: Pick<ProjectSettings, 'SERVICE_ACCOUNTS_PER_PROJECT'>;
  /** Pauses an account's schedules in a project, with a reason. */
  pauseSchedules(userId: UserId, reason: string, projectId: ProjectId): Promise<void>;
}

export type ServiceAccounts = ReturnType<typeof createServiceAccounts>;

/**
 * Accounts of programs that belong to a project and not to a person. They are users that cannot sign in; they act with
 * tokens for programs, and use the share of the owner of the project.
 */
export function createServiceAccounts(dependencies: ServiceAccountDependencies) {
  const { users, programTokens, memberships, settings, pauseSchedules } = dependencies;

  /** A service account of the project. @throws not_found */
  async function find(projectId: ProjectId, username: string): Promise<UserDocument> {
    const user = await users.findByUsername(username);
    if (user?.service?.project_id !== projectId) throw noServiceAccount();
    return user;
  }

  async function shown(user: UserDocument): Promise<ServiceAccount> {
    if (!user.service) throw noServiceAccount();
    const { project_id, name, created_by } = user.service;
    const [[membership], { tokens }] = await Promise.all([
      memberships.activeAmong(project_id, [user._id]),
      programTokens.list(user._id),
    ]);
    return {
      user_id: user._id,
      username: user.username,
      name,
      display_name: user.display_name,
      project_id,
      role: membership ? (membership.role === 'viewer' ? 'viewer' : 'editor') : null,
      disabled: user.disabled,
      created_by,
      created_at: user.created_at.toISOString(),
      tokens,
    };
  }

  async function remove(user: UserDocument, projectId: ProjectId): Promise<void> {
    await memberships.revoke(projectId, user._id);
    await programTokens.removeOf([user._id]);
    await users.remove(user._id);
    await pauseSchedules(user._id, `The service account ${user.username} was deleted.`, projectId);
  }

  return {
    find,

    async list({ _id }: ProjectDocument): Promise<ServiceAccountList> {
      const service_accounts = await Promise.all((await users.serviceAccounts(_id)).map(shown));
      return { service_accounts, total: service_accounts.length };
    },

    /** Makes an account with its first token. @throws already_exists, quota_exceeded, invalid_input */
    async create(
      { _id: projectId }: ProjectDocument,
      owner: Pick<UserDocument, '_id' | 'username'>,
      wanted: ServiceAccountRequest,
    ): Promise<NewServiceAccount> {
      const { role, scopes, expires_at, name } = wanted;
      assertRoomWithin(
        {
          holder: 'This project',
          things: 'service accounts',
          limit: settings.SERVICE_ACCOUNTS_PER_PROJECT,
          setting: 'SERVICE_ACCOUNTS_PER_PROJECT',
        },
        (await users.serviceAccounts(projectId)).length,
      );
      const now = new Date();
      const user: UserDocument = {
        _id: serviceAccountId(owningUser(owner._id), randomBytes(16).toString('hex')),
        username: serviceUsername(name, projectId),
        display_name: trimmedOrNull(wanted.display_name),
        organization: null,
        avatar_key: null,
        disabled: false,
        default_project_id: projectId,
        must_change_password: false,
        system_role: 'user',
        hashed_password: '',
        token_generation: 0,
        revoked_tokens: [],
        service: { project_id: projectId, name, created_by: owner.username },
        created_at: now,
        updated_at: now,
      };
      await users.insert(user);
      try {
        await memberships.activate(projectId, user._id, role, { id: owner._id, isStranger: false });
        const { token } = await programTokens.create(
          user,
          { name, scopes, project_id: projectId },
          expires_at,
        );
        return { ...(await shown(user)), token };
      } catch (thrown) {
        // Without its token, which is shown only now, the account would only take the name.
        await remove(user, projectId);
        throw thrown;
      }
    },

    /** Changes an account; disabling it revokes its tokens. @throws not_found */
    async change(
      { _id: projectId }: ProjectDocument,
      owner: Pick<UserDocument, '_id'>,
      username: string,
      { role, display_name, disabled }: ServiceAccountChange,
    ): Promise<ServiceAccount> {
      const user = await find(projectId, username);
      if (role) {
        // An ended membership begins again.
        const isMember = await memberships.changeRole(projectId, user._id, role);
        if (!isMember)
          await memberships.activate(projectId, user._id, role, { id: owner._id, isStranger: false });
        if (role === 'viewer') {
          await pauseSchedules(user._id, `${username} may only read in this project.`, projectId);
        }
      }
      const fields = {
        ...(display_name !== undefined && { display_name: trimmedOrNull(display_name) }),
        ...(typeof disabled === 'boolean' && { disabled }),
      };
      const changed = await users.change(user._id, fields, { revokeTokens: disabled === true });
      if (!changed) throw noServiceAccount();
      if (disabled) await pauseSchedules(user._id, `The account ${username} is disabled.`, projectId);
      return shown(changed);
    },

    /** Deletes an account and its tokens, and pauses its schedules. @throws not_found */
    async remove({ _id: projectId }: ProjectDocument, username: string): Promise<void> {
      await remove(await find(projectId, username), projectId);
    },

    /** After a transfer the accounts use the share of the new owner. */
    async follow(projectId: ProjectId, ownerUserId: UserId): Promise<void> {
      await programTokens.shareOf(await users.shareServiceAccounts(projectId, ownerUserId), ownerUserId);
    },

    /** Deletes all of a project, and the tokens that are limited to it. */
    async removeOfProject(projectId: ProjectId): Promise<void> {
      await programTokens.removeOf(await users.removeServiceAccounts(projectId));
      await programTokens.removeOfProject(projectId);
    },
  };
}

/** The same name in another project is another username, and says nothing of the names of people. */
function serviceUsername(name: string, projectId: ProjectId): string {
  return `${name}.${sha256(projectId).slice(0, 12)}`;
}

function noServiceAccount(): CalibronError {
  return new CalibronError('not_found', 'This project has no such service account.');
}
