import { type CollectionIndexes, type Db, retryDuplicateKey } from '../../kernel/database.ts';
import { CalibronError, isError } from '../../kernel/errors.ts';
import { newId, sha256 } from '../../kernel/new-ids.ts';
import { AccountError } from '../accounts/errors.ts';
import type { Accounts } from '../accounts/index.ts';
import type { TokenClaims, TokenResponse, UserDocument } from '../accounts/model.ts';
import { newUser } from '../administration/index.ts';
import type { Projects } from '../projects/index.ts';
import { IdentityProviderError } from './errors.ts';
import { type GroupRole, rolesOf, usernameFrom } from './group-rules.ts';
import type {
  IdentityDocument,
  PendingSignInDocument,
  ProviderSessionDocument,
  ProviderUser,
} from './model.ts';
import type { IdentityProvider } from './provider.ts';
import type { IdentityProviderSettings } from './settings.ts';

/** Milliseconds that a user has for signing in at the provider. */
const PENDING_FOR = 300_000;

const PENDING = 'pending_sign_ins';
const IDENTITIES = 'identities';
const SESSIONS = 'provider_sessions';

const expiry = { name: 'expiry', key: { expires_at: 1 }, expireAfterSeconds: 0 } as const;

export const signingInIndexes: CollectionIndexes[] = [
  { collection: PENDING, indexes: [expiry] },
  { collection: IDENTITIES, indexes: [] },
  {
    collection: SESSIONS,
    indexes: [
      expiry,
      { name: 'by_identity', key: { identity_id: 1, sid: 1 } },
      { name: 'by_sid', key: { sid: 1 } },
    ],
  },
];

export interface SigningInDependencies {
  db: Db;
  provider: IdentityProvider;
  settings: Pick<IdentityProviderSettings, 'OIDC_CREATE_USERS' | 'OIDC_SESSION'>;
  groupRoles: readonly GroupRole[];
  accounts: Pick<Accounts, 'users' | 'signIn'>;
  projects: Pick<Projects, 'find' | 'members'>;
}

export type SigningIn = ReturnType<typeof createSigningIn>;

/** Signs users in with the identity provider, and ends their sessions when the provider requests it. */
export function createSigningIn(dependencies: SigningInDependencies) {
  const { db, provider, settings, groupRoles, projects } = dependencies;
  const { users, signIn } = dependencies.accounts;
  const pending = db.collection<PendingSignInDocument>(PENDING);
  const identities = db.collection<IdentityDocument>(IDENTITIES);
  const sessions = db.collection<ProviderSessionDocument>(SESSIONS);

  const identityId = (subject: string) => sha256(JSON.stringify([provider.issuer, subject]));

  /** The account of a subject. Two first sign-ins at once claim the same user id. @throws sign_in_refused */
  async function accountOf(person: ProviderUser): Promise<UserDocument> {
    const _id = identityId(person.subject);
    const known = await identities.findOne({ _id });
    const user = known && (await users.find(known.user_id));
    if (user) return { ...user };
    if (settings.OIDC_CREATE_USERS !== 'true') {
      throw new IdentityProviderError(
        'sign_in_refused',
        'There is no account for this user of the identity provider. Ask an administrator.',
      );
    }
    return create(_id, known, person);
  }

  async function create(
    _id: string,
    known: IdentityDocument | null,
    person: ProviderUser,
  ): Promise<UserDocument> {
    const user = newUser({
      username: 'unnamed',
      display_name: person.display_name,
      must_change_password: false,
      hashed_password: '',
      identity: { issuer: provider.issuer, subject: person.subject },
    });
    // A deleted account leaves its identity behind, which then gets a new account.
    const claimed = await retryDuplicateKey(() =>
      identities.findOneAndUpdate(
        { _id, ...(known && { user_id: known.user_id }) },
        known
          ? { $set: { user_id: user._id } }
          : {
              $setOnInsert: {
                issuer: provider.issuer,
                subject: person.subject,
                user_id: user._id,
                created_at: new Date(),
              },
            },
        { upsert: !known, returnDocument: 'after' },
      ),
    );
    if (!claimed) throw tryAgain();
    const name = usernameFrom(person.username);
    const unique = `user-${_id.slice(0, 12)}`;
    for (const username of name ? [name, `${name}-${_id.slice(0, 8)}`] : [unique]) {
      try {
        const made = { ...user, _id: claimed.user_id, username };
        await users.insert(made);
        return made;
      } catch (thrown) {
        if (!isError(thrown, 'already_exists')) throw thrown;
        const other = await users.find(claimed.user_id);
        if (other) return { ...other }; // made by another sign-in at the same moment
      }
    }
    throw tryAgain();
  }

  /** Gives the memberships that groups give, and ends those that they gave and no longer give. */
  async function follow(user: UserDocument, groups: readonly string[]): Promise<void> {
    for (const [projectId, role] of rolesOf(groupRoles, groups)) {
      const project = await projects.find(projectId);
      if (project) await projects.members.followGroup(project, user, role);
    }
  }

  return {
    /** Begins a sign-in. @returns where the browser goes, and the state, which binds the answer to this browser */
    async begin(): Promise<{ url: string; state: string }> {
      const { url, state, nonce, code_verifier } = await provider.begin();
      await pending.insertOne({
        _id: sha256(state),
        nonce,
        code_verifier,
        expires_at: new Date(Date.now() + PENDING_FOR),
      });
      return { url: url.href, state };
    },

    /**
     * Ends a sign-in.
     * @param state as the browser that began it has kept it
     * @throws sign_in_refused, account_disabled, identity_provider_unavailable
     */
    async finish(query: URLSearchParams, state: string | undefined): Promise<TokenResponse> {
      const begun =
        state !== undefined && state === query.get('state')
          ? await pending.findOneAndDelete({ _id: sha256(state), expires_at: { $gt: new Date() } })
          : null;
      if (!begun || state === undefined) {
        throw new IdentityProviderError(
          'sign_in_refused',
          'This sign-in was not begun in this browser, or too long ago. Begin again with GET /auth/oidc/login.',
        );
      }
      const person = await provider.finish(query, state, begun);
      const user = await accountOf(person);
      if (user.disabled) throw new AccountError('account_disabled', 'This account is disabled.');
      await follow(user, person.groups);
      const token_id = newId();
      await sessions.insertOne({
        _id: token_id,
        user_id: user._id,
        identity_id: identityId(person.subject),
        sid: person.sid,
        expires_at: new Date(Date.now() + settings.OIDC_SESSION * 1000),
      });
      return signIn.grant(user, { token_id, lifetime: settings.OIDC_SESSION });
    },

    /** Ends sessions on the word of the provider: those of one session there, or all of a subject. @throws bad_request */
    async endByProvider(logoutToken: string): Promise<void> {
      const { subject, sid } = await provider.readLogout(logoutToken);
      const found = await sessions
        .find({
          ...(subject !== null && { identity_id: identityId(subject) }),
          ...(sid !== null && { sid }),
        })
        .toArray();
      for (const session of found) await users.revokeToken(claimsOf(session), new Date());
      await sessions.deleteMany({ _id: { $in: found.map((each) => each._id) } });
    },
  };
}

/** As much of a session's token as its revocation needs. */
function claimsOf({ _id, user_id, expires_at }: ProviderSessionDocument): TokenClaims {
  return { user_id, token_id: _id, generation: 0, issued_at: new Date(), expires_at };
}

function tryAgain(): CalibronError {
  return new CalibronError('conflict', 'The account was changed at the same moment. Sign in again.');
}
