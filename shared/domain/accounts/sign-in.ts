import { CalibronError } from '../../kernel/errors.ts';
import { sha256 } from '../../kernel/new-ids.ts';
import { AccountError } from './errors.ts';
import type { Caller, LoginForm, TokenClaims, TokenResponse, UserDocument } from './model.ts';
import type { Passwords } from './passwords.ts';
import { isProgramToken, type ProgramTokens } from './program-tokens.ts';
import {
  forgottenTokens,
  judgeProgramToken,
  judgeToken,
  noteEvery,
  type TokenVerdict,
  throttledFor,
  unusedFor,
} from './rules.ts';
import type { GivenFactor, SecondFactorCheck } from './second-factor-check.ts';
import type { UserStore } from './store.ts';
import type { NewToken, Tokens } from './tokens.ts';

interface SignInDependencies {
  users: UserStore;
  tokens: Tokens;
  passwords: Pick<Passwords, 'check'>;
  secondFactor: SecondFactorCheck;
  programTokens: Pick<ProgramTokens, 'read' | 'noteUse'>;
  /** The only username that may sign in with a password; null for all. */
  onlyPasswordUser: string | null;
}

/** Login with a password, and authentication with the issued token. */
export function createSignIn({
  users,
  tokens,
  passwords,
  secondFactor,
  programTokens,
  onlyPasswordUser,
}: SignInDependencies) {
  const inTurn = createKeyedQueue();

  /**
   * The user with this name and password; null when they are wrong or the account is disabled. Attempts for one username from one
   * address are processed one after another, so that parallel guesses are limited like sequential ones.
   * @param factor the second factor, undefined if it is not required; a wrong one counts as a wrong password
   * @throws second_factor_required, too_many_requests
   */
  function checkLimited(
    { username, password }: Pick<LoginForm, 'username' | 'password'>,
    address: string,
    factor?: GivenFactor,
  ): Promise<UserDocument | null> {
    const key = sha256(JSON.stringify([username, address]));
    return inTurn(key, async () => {
      const failures = await users.loginFailures(key);
      const wait = throttledFor(failures, new Date());
      if (wait > 0) {
        throw new CalibronError('too_many_requests', 'Too many wrong passwords; wait before the next try.', {
          retryAfter: Math.ceil(wait / 1000),
        });
      }
      const user = await users.findByUsername(username);
      const right = await passwords.check(address, password, user?.hashed_password || null);
      const isUser = user !== null && right && !user.disabled;
      if (!isUser || (factor && !(await secondFactor.check(user, factor)))) {
        await users.recordLoginFailure(key, new Date());
        return null;
      }
      if (failures.length > 0) await users.clearLoginFailures(key);
      return user;
    });
  }

  /** Issues a token to a user who has signed in. */
  async function grant(user: UserDocument, options: NewToken = {}): Promise<TokenResponse> {
    return {
      ...(await tokens.issue(user, options)),
      token_type: 'bearer',
      user_id: user._id,
      username: user.username,
      default_project_id: user.default_project_id,
      must_change_password: user.must_change_password,
    };
  }

  return {
    checkLimited,

    /**
     * Checks a password, and the second factor of a user who has one, and issues a token.
     * @throws wrong_credentials (also for disabled users), second_factor_required, too_many_requests
     */
    async login(form: LoginForm, address: string): Promise<TokenResponse> {
      const user = await checkLimited(form, address, { code: form.otp, passkey: form.passkey });
      if (!user || (onlyPasswordUser !== null && user.username !== onlyPasswordUser)) {
        const parts =
          form.otp === undefined && form.passkey === undefined
            ? 'username or the password'
            : 'username, the password or the second factor';
        throw new AccountError('wrong_credentials', `The ${parts} is wrong.`);
      }
      return grant(user);
    },

    grant,

    /** The claims of the token in an `Authorization` header, if this installation issued it and it has not expired; else null. */
    async readToken(authorization: string | undefined): Promise<TokenClaims | null> {
      const presented = bearerOf(authorization);
      if (presented === undefined) return null;
      return isProgramToken(presented) ? programTokens.read(presented) : tokens.read(presented);
    },

    /**
     * The caller behind an `Authorization` header and the token in it.
     * @throws not_authenticated, account_disabled
     */
    async open(authorization: string | undefined, token: TokenClaims | null): Promise<Caller> {
      if (bearerOf(authorization) === undefined) {
        throw new CalibronError('not_authenticated', 'Send the header Authorization: Bearer <access token>.');
      }
      const user = token && (await users.find(token.user_id));
      if (!token || !user) throw new CalibronError('not_authenticated', 'The access token is not valid.');
      const now = new Date();
      if (token.program) {
        refuseUnlessAccepted(judgeProgramToken(user, token));
        await programTokens.noteUse(token.token_id, now);
        return { user, token };
      }
      refuseUnlessAccepted(judgeToken(user, token, tokens.idle, now));
      if (unusedFor(user, token, now) > noteEvery(tokens.idle)) {
        await users.noteTokenUse(user._id, token.token_id, now, forgottenTokens(user, tokens.idle, now));
      }
      return { user, token };
    },
  };
}

export type SignIn = ReturnType<typeof createSignIn>;

/** @throws not_authenticated, account_disabled */
function refuseUnlessAccepted(verdict: TokenVerdict): void {
  if (verdict === 'disabled') throw new AccountError('account_disabled', 'This account is disabled.');
  if (verdict === 'revoked') {
    throw new CalibronError('not_authenticated', 'The access token was revoked; log in again.');
  }
  if (verdict === 'idle') {
    throw new CalibronError('not_authenticated', 'The access token was unused for too long; log in again.');
  }
}

function bearerOf(authorization: string | undefined): string | undefined {
  return /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
}

/** Runs tasks with the same key one after another, in the order of the calls. */
function createKeyedQueue() {
  const lasts = new Map<string, Promise<unknown>>();
  return async <Answer>(key: string, work: () => Promise<Answer>): Promise<Answer> => {
    const before = lasts.get(key);
    const mine = before ? before.then(work, work) : work();
    lasts.set(key, mine);
    try {
      return await mine;
    } finally {
      if (lasts.get(key) === mine) lasts.delete(key);
    }
  };
}
