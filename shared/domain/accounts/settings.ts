import { z } from 'zod';
import { count, number, type SettingsOf, seconds } from '../../kernel/setting-kinds.ts';
import { MIN_PASSWORD_LENGTH, passwordProblem, usernamePattern } from './credential-rules.ts';

/** Length of generated passwords in characters. It is also the highest minimum length that can be configured. */
export const GENERATED_PASSWORD_LENGTH = 18;

const lengths = `must be ${MIN_PASSWORD_LENGTH} to ${GENERATED_PASSWORD_LENGTH}`;

/** Settings of accounts, passwords and tokens. */
export const accountSettings = {
  ADMIN_USERNAME: z
    .string()
    .regex(usernamePattern, 'must be 3 to 64 of a-z, 0-9, _, -, .')
    .default('admin')
    .describe('First administrator, created when there is no user yet.'),
  ADMIN_PASSWORD: z
    .string()
    .refine(
      (password) => passwordProblem(password) === null,
      'must have at least 8 characters and at most 72 bytes',
    )
    .optional()
    .describe('Password of the first administrator; generated and shown once when unset.'),
  TOKEN_SECRET: z
    .string()
    .min(32, 'must have at least 32 characters')
    .optional()
    .describe('Key that signs access tokens; kept in DATA_DIR when unset. Set it where several APIs run.'),
  TOKEN_IDLE: seconds
    .default(43200)
    .describe('Seconds after which an unused access token expires; each use extends it.'),
  TOKEN_LIFETIME: seconds
    .default(2_592_000)
    .describe('Seconds after which an access token expires, used or not.'),
  PASSWORD_MIN_LENGTH: number
    .int('must be a whole number')
    .min(MIN_PASSWORD_LENGTH, lengths)
    .max(GENERATED_PASSWORD_LENGTH, lengths)
    .default(MIN_PASSWORD_LENGTH)
    .describe('Characters that a new password must have.'),
  PASSWORD_SIGN_IN: z
    .enum(['everyone', 'emergency'])
    .default('everyone')
    .describe('emergency: only ADMIN_USERNAME signs in with a password, all others with the provider.'),
  PROGRAM_TOKENS_PER_USER: count
    .default(50)
    .describe('Tokens for programs that a user or a service account may have.'),
  PROGRAM_TOKEN_DAYS: count
    .max(36_500, 'must be at most 36500')
    .default(366)
    .describe('Maximum number of days for which a token for programs is valid.'),
  ADMIN_SECOND_FACTOR: z
    .enum(['optional', 'required'])
    .default('optional')
    .describe('required: what only administrators may do requires a second factor of the account.'),
  ENFORCE_PASSWORD_CHANGE: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true')
    .describe('true: a temporary password must be changed before anything else.'),
  LEGACY_AUTH: z
    .enum(['token', 'header'])
    .default('token')
    .describe(
      'header: under /api the header X-Username alone names the user, without a token. Only for a closed network.',
    ),
};
export type AccountSettings = SettingsOf<typeof accountSettings>;
