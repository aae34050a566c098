import { defineArea, type Kernel } from '../../kernel/area.ts';
import { createOwnAccount } from './own-account.ts';
import { createChallengeStore, createPasskeyCheck } from './passkey-check.ts';
import { createPasskeys } from './passkeys.ts';
import { createPasswords } from './passwords.ts';
import { createProgramTokens, programTokenIndexes } from './program-tokens.ts';
import { createSecondFactor } from './second-factor.ts';
import { createSecondFactorCheck } from './second-factor-check.ts';
import type { AccountSettings } from './settings.ts';
import { createSignIn } from './sign-in.ts';
import { accountIndexes, createUserStore } from './store.ts';
import { createTokens, tokenSecret } from './tokens.ts';

export { generatePassword, type Passwords } from './passwords.ts';
export type { ProgramTokens } from './program-tokens.ts';
export type { SignIn } from './sign-in.ts';
export type { Seen, UserStore } from './store.ts';
export { createTokens, type Tokens } from './tokens.ts';

export type Accounts = ReturnType<typeof accounts.create>;

/** Users, their passwords and their tokens. */
export const accounts = defineArea({
  name: 'accounts',
  indexes: [...accountIndexes, programTokenIndexes],
  create({ db, settings }: Kernel<AccountSettings>) {
    const users = createUserStore(db);
    const tokens = createTokens(() => tokenSecret(settings.TOKEN_SECRET, settings.DATA_DIR), {
      lifetime: settings.TOKEN_LIFETIME,
      idle: settings.TOKEN_IDLE,
    });
    const passwords = createPasswords({ minLength: settings.PASSWORD_MIN_LENGTH });
    const challenges = createChallengeStore(db);
    const passkeyCheck = createPasskeyCheck(db, challenges, settings);
    const programTokens = createProgramTokens(db, settings);
    const secondFactor = createSecondFactorCheck(db, users, passkeyCheck);
    const onlyPasswordUser = settings.PASSWORD_SIGN_IN === 'emergency' ? settings.ADMIN_USERNAME : null;
    const signIn = createSignIn({ users, tokens, passwords, secondFactor, programTokens, onlyPasswordUser });
    return {
      users,
      tokens,
      passwords,
      signIn,
      programTokens,
      ownAccount: createOwnAccount(users, signIn, passwords),
      secondFactor: createSecondFactor(db, { signIn, users }),
      passkeys: createPasskeys(db, { signIn, challenges, settings }),
    };
  },
  close: ({ passwords }) => passwords.close(),
});
