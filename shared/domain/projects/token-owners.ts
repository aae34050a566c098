import { CalibronError } from '../../kernel/errors.ts';
import type { ProgramTokens, UserStore } from '../accounts/index.ts';
import type { Caller, UserDocument } from '../accounts/model.ts';
import type {
  NewProgramToken,
  ProgramTokenDocument,
  ProgramTokenList,
  ProgramTokenRequest,
} from '../accounts/program-token-model.ts';
import type { NamedProject } from './access.ts';
import type { Permission, ProjectScope } from './model.ts';

export interface TokenOwnerDependencies {
  users: UserStore;
  programTokens: ProgramTokens;
  enter(caller: Caller, named: NamedProject, permission: Permission): Promise<ProjectScope>;
}

/** Tokens for programs of a person, and of the service accounts in the projects that the person owns. */
export function createTokenOwners({ users, programTokens, enter }: TokenOwnerDependencies) {
  const noAccount = () => new CalibronError('not_found', 'There is no such service account.');
  const noToken = () => new CalibronError('not_found', 'There is no such token.');

  /** Whether the caller owns the project of a service account. */
  async function owns(caller: Caller, user: UserDocument): Promise<boolean> {
    if (!user.service) return false;
    try {
      await enter(caller, { path: user.service.project_id, header: undefined }, 'admin');
      return true;
    } catch (thrown) {
      if (thrown instanceof CalibronError && thrown.status < 500) return false;
      throw thrown;
    }
  }

  /** The account whose tokens a request is about. @throws not_found */
  async function accountOf(caller: Caller, serviceAccount: string | null | undefined): Promise<UserDocument> {
    if (!serviceAccount) return caller.user;
    const user = await users.findByUsername(serviceAccount);
    if (!user || !(await owns(caller, user))) throw noAccount();
    return user;
  }

  /** A token that the caller may change, and its account. @throws not_found */
  async function find(caller: Caller, id: string): Promise<[ProgramTokenDocument, UserDocument]> {
    const token = await programTokens.get(id);
    if (token.user_id === caller.user._id) return [token, caller.user];
    const user = await users.find(token.user_id);
    if (!user || !(await owns(caller, user))) throw noToken();
    return [token, user];
  }

  return {
    /** @throws not_found */
    async list(caller: Caller, serviceAccount?: string): Promise<ProgramTokenList> {
      return programTokens.list((await accountOf(caller, serviceAccount))._id);
    },

    /** @throws not_found, forbidden for a project that the caller cannot enter, quota_exceeded, invalid_input */
    async create(caller: Caller, wanted: ProgramTokenRequest): Promise<NewProgramToken> {
      const user = await accountOf(caller, wanted.service_account);
      const project_id = user.service?.project_id ?? wanted.project_id ?? null;
      if (user.service && wanted.project_id && wanted.project_id !== project_id) {
        throw new CalibronError('bad_request', 'A service account works in its own project only.');
      }
      if (project_id !== null) await enter(caller, { path: project_id, header: undefined }, 'read');
      return programTokens.create(user, { ...wanted, project_id }, wanted.expires_at);
    },

    /** @throws not_found, conflict, invalid_input */
    async rotate(caller: Caller, id: string, expiresAt?: string | null): Promise<NewProgramToken> {
      const [token, user] = await find(caller, id);
      return programTokens.rotate(token, user, expiresAt);
    },

    /** @throws not_found */
    async revoke(caller: Caller, id: string): Promise<void> {
      const [token] = await find(caller, id);
      await programTokens.revoke(token._id);
    },
  };
}
