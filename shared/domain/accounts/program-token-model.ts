import { z } from 'zod';
import { type ProjectId, projectIdSchema, type UserId } from '../../kernel/ids.ts';
import { timestamp } from '../../kernel/wire.ts';

/** Scopes of tokens for programs. Each scope includes those before it. */
export const programScopes = ['read', 'run', 'operate', 'administer'] as const;
const programScope = z.enum(programScopes);
export type ProgramScope = z.infer<typeof programScope>;

/** What a token for programs permits. It never permits more than its user may do. */
export interface ProgramGrant {
  name: string;
  scopes: readonly ProgramScope[];
  /** The only project in which the token is valid; null for every project of its user. */
  project_id: ProjectId | null;
  /** For a service account of a transferred project: the user whose share of the service it uses. */
  share_user_id?: string | undefined;
}

/** A token for programs as stored; `_id` is the token_id. The secret itself is never stored. */
export interface ProgramTokenDocument {
  _id: string;
  /** The user or service account as whom the program acts. */
  user_id: UserId;
  name: string;
  /** The first characters of the secret, so that people can recognise it. */
  prefix: string;
  /** SHA-256 of the secret. It has 256 random bits, so a slow hash would add nothing. */
  hash: string;
  scopes: ProgramScope[];
  project_id: ProjectId | null;
  share_user_id?: string;
  /** The `program_generation` of its user when the token was created. */
  generation: number;
  created_at: Date;
  /** When the current secret was created. */
  rotated_at: Date;
  expires_at: Date;
  last_used_at: Date | null;
}

/** A token for programs as the API shows it. */
export const programToken = z
  .object({
    token_id: z.string(),
    name: z.string(),
    prefix: z.string().describe('The first characters of the token, to recognise it.'),
    scopes: z.array(programScope).describe('What it permits; each scope includes those before it.'),
    project_id: projectIdSchema
      .nullable()
      .describe('The only project in which the token is valid; null for all of them.'),
    created_at: timestamp,
    expires_at: timestamp,
    last_used_at: timestamp.nullable().describe('Time of the last use, rounded to the minute.'),
  })
  .meta({ id: 'ProgramToken' });
export type ProgramToken = z.infer<typeof programToken>;

export const programTokenList = z.object({ tokens: z.array(programToken), total: z.number().int() });
export type ProgramTokenList = z.infer<typeof programTokenList>;

/** Answer of requests that create a secret. */
export const newProgramToken = programToken
  .extend({ token: z.string().describe('The token itself, shown only here.') })
  .meta({ id: 'IssuedProgramToken' });
export type NewProgramToken = z.infer<typeof newProgramToken>;

const expiresAt = z.iso
  .datetime({ offset: true })
  .nullish()
  .describe('When the token expires; default: in 90 days, or earlier if the installation allows less.');

export const tokenName = z.string().trim().min(1).max(100);
export const tokenScopes = z.array(programScope).min(1).max(programScopes.length);

/** Body of POST /auth/tokens. */
export const programTokenRequest = z.object({
  name: tokenName,
  scopes: tokenScopes,
  project_id: projectIdSchema
    .nullish()
    .describe('The only project in which the token is valid; default: all of them.'),
  expires_at: expiresAt,
  service_account: z
    .string()
    .nullish()
    .describe(
      'Username of a service account for which the token is created; only the owner of its project may do this.',
    ),
});
export type ProgramTokenRequest = z.infer<typeof programTokenRequest>;

/** Body of POST /auth/tokens/{token_id}/rotate. */
export const programTokenRotation = z.object({
  expires_at: expiresAt.describe(
    'When the new token expires; by default it is valid for as long as the old one was.',
  ),
});

/** Filter of GET /auth/tokens. */
export const programTokenQuery = z.object({
  service_account: z.string().optional().describe('The tokens of this service account; default: your own.'),
});
