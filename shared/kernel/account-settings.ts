import { z } from 'zod';
import { MIN_PASSWORD_LENGTH } from './credentials.ts';
import { number } from './setting-kinds.ts';

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
  ADMIN_SECOND_FACTOR: z
    .enum(['optional', 'required'])
    .default('optional')
    .describe('required: what only administrators may do asks for a second factor of the account.'),
};
