import { z } from 'zod';
import { MIN_PASSWORD_LENGTH } from './credentials.ts';
import { count, number } from './setting-kinds.ts';

/** Length of generated passwords in characters. It is also the highest minimum length that can be configured. */
export const GENERATED_PASSWORD_LENGTH = 18;

const lengths = `must be ${MIN_PASSWORD_LENGTH} to ${GENERATED_PASSWORD_LENGTH}`;

/** Account security settings. */
export const accountSettings = {
  PASSWORD_MIN_LENGTH: number
    .int('must be a whole number')
    .min(MIN_PASSWORD_LENGTH, lengths)
    .max(GENERATED_PASSWORD_LENGTH, lengths)
    .default(MIN_PASSWORD_LENGTH)
    .describe('Characters that a new password must have.'),
  PROGRAM_TOKENS_PER_USER: count
    .default(50)
    .describe('Tokens for programs that a user or a service account may have.'),
  PROGRAM_TOKEN_DAYS: count
    .max(36_500, 'must be at most 36500')
    .default(366)
    .describe('Days for which a token for programs may be valid at most.'),
  SERVICE_ACCOUNTS_PER_PROJECT: count.default(50).describe('Service accounts that a project may have.'),
  INVITES_PER_HOUR: count
    .default(20)
    .describe('Invites per hour of usernames with whom the inviter shares no project, existing or not.'),
  INVITE_STRANGERS: z
    .enum(['on', 'off'])
    .default('on')
    .describe(
      'off: owners of projects invite only users with whom they share a project, so invites reveal no other account. Administrators add the others.',
    ),
  ADMIN_SECOND_FACTOR: z
    .enum(['optional', 'required'])
    .default('optional')
    .describe('required: what only administrators may do asks for a second factor of the account.'),
};
