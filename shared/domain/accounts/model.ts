import { z } from 'zod';
import { type ProjectId, projectIdSchema, type UserId, userIdSchema } from '../../kernel/ids.ts';
import { MIN_PASSWORD_LENGTH, passwordProblem, usernamePattern } from './credential-rules.ts';
import type { PasskeyChallenge, PasskeyDocument } from './passkey-model.ts';
import type { ProgramGrant } from './program-token-model.ts';
import type { PendingSecondFactor, SecondFactorDocument } from './second-factor-model.ts';

export const systemRole = z.enum(['admin', 'user']);
export type SystemRole = z.infer<typeof systemRole>;

/** A user as the API shows it. */
export const user = z
  .object({
    user_id: userIdSchema,
    username: z.string(),
    display_name: z.string().nullable(),
    organization: z.string().nullable(),
    avatar_key: z.string().nullable(),
    disabled: z.boolean(),
    default_project_id: projectIdSchema.nullable(),
    must_change_password: z.boolean(),
    system_role: systemRole,
  })
  .meta({ id: 'User' });
export type User = z.infer<typeof user>;

/** Form of POST /auth/login; an empty value counts as missing. */
export const loginForm = z.object({
  username: z.string().min(1),
  password: z.string().min(1),
  otp: z
    .string()
    .max(64)
    .optional()
    .describe('Code of the second factor, or a recovery code, if the account has one.'),
  passkey: z
    .string()
    .max(16_384)
    .optional()
    .describe(
      'In place of otp: the answer of a passkey, as JSON, to the options of POST /auth/passkeys/sign-in.',
    ),
});
export type LoginForm = z.infer<typeof loginForm>;

/** Answer of POST /auth/login. */
export const tokenResponse = z
  .object({
    access_token: z.string(),
    token_type: z.literal('bearer'),
    expires_in: z.number().describe('Seconds until the token expires.'),
    user_id: userIdSchema,
    username: z.string(),
    default_project_id: projectIdSchema.nullable(),
    must_change_password: z.boolean(),
  })
  .meta({ id: 'Token' });
export type TokenResponse = z.infer<typeof tokenResponse>;

/** Username of an account, in a body that creates or names one. */
export const username = z.string().regex(usernamePattern);

/** A new password. Its length is bounded in characters and in bytes; JSON Schema cannot express the bytes. */
export const newPassword = z
  .string()
  .superRefine((given, context) => {
    const problem = passwordProblem(given);
    if (problem) context.addIssue({ code: 'custom', message: problem.rule, params: { type: problem.type } });
  })
  .meta({
    minLength: MIN_PASSWORD_LENGTH,
    description: '8 characters to 72 bytes; an installation may require more characters.',
  });

export const displayName = z.string().max(100).nullable();
export const organization = z.string().max(100).nullable();
const avatarKey = z
  .string()
  .max(64)
  .regex(/^[a-z0-9_-]+$/)
  .nullable();
/** Body of PATCH /auth/me: absent fields stay unchanged, null clears. */
export const profileChange = z.object({
  display_name: displayName.optional(),
  avatar_key: avatarKey.optional(),
});
export type ProfileChange = z.infer<typeof profileChange>;

/** Body of POST /auth/change-password. */
export const passwordChange = z.object({ current_password: z.string(), new_password: newPassword });
export type PasswordChange = z.infer<typeof passwordChange>;

/** A user as stored; `_id` is the user_id. */
export interface UserDocument {
  _id: UserId;
  username: string;
  display_name: string | null;
  organization: string | null;
  avatar_key: string | null;
  disabled: boolean;
  default_project_id: ProjectId | null;
  must_change_password: boolean;
  system_role: SystemRole;
  /** Empty for accounts that cannot sign in with a password. */
  hashed_password: string;
  /** Incremented to revoke every token of the user: tokens of an older generation are refused. */
  token_generation: number;
  /** Incremented to revoke every token for programs of the user; absent until then. */
  program_generation?: number;
  /**
   * Set for a service account: the project that it works in, and the user whose share it uses since the project was
   * transferred.
   */
  service?: { project_id: ProjectId; name: string; created_by: string; share_user_id?: UserId };
  /** Set for an account that signs in with the identity provider, and never with a password. */
  identity?: { issuer: string; subject: string };
  /** Individually revoked tokens (logout), kept until they would have expired. */
  revoked_tokens: { token_id: string; expires_at: Date }[];
  /** The one token of an older generation that stays valid: the one that changed the password. */
  spared_token?: string | null;
  /** Last use of each token, to the minute. A token without an entry was last used when it was issued. */
  token_uses?: Record<string, Date>;
  /** Absent if the user has none. */
  second_factor?: SecondFactorDocument;
  pending_second_factor?: PendingSecondFactor;
  passkeys?: PasskeyDocument[];
  passkey_challenge?: PasskeyChallenge;
  /** Set while an administrator loses the role or the account: id of the request, and when it started. */
  leaving?: { id: string; at: Date };
  created_at: Date;
  updated_at: Date;
}

/** The claims of a token. */
export interface TokenClaims {
  user_id: UserId;
  token_id: string;
  generation: number;
  issued_at: Date;
  expires_at: Date;
  /** What the token permits, for a token for programs. A token of a sign-in permits everything its user may do. */
  program?: ProgramGrant;
}

/** The user and the token of a request; the token is null if the installation trusts a username alone. */
export interface Caller {
  user: UserDocument;
  token: TokenClaims | null;
}

/** The user who makes a change, as recorded with the change. */
export interface Actor {
  user_id: UserId;
  username: string;
}
