import { z } from 'zod';
import { type ProjectId, projectIdSchema, type UserId } from '../../kernel/ids.ts';
import { timestamp } from '../../kernel/wire.ts';

/** What tokens for programs may permit. Each scope includes those before it. */
export const programScopes = ['read', 'run', 'operate', 'administer'] as const;
const programScope = z.enum(programScopes);
export type ProgramScope = z.infer<typeof programScope>;

/** What a token for programs permits, at most as much as its user may do. */
export interface ProgramGrant {
  name: string;
  scopes: readonly ProgramScope[];
  /** The only project in which the token counts; null for every project of its user. */
  project_id: ProjectId | null;
  /** For a service account of a project that was transferred: the user whose share it uses. */
  share_user_id?: string | undefined;
}

/** A token for programs as stored; `_id` is the token_id. The secret itself is never stored. */
export interface ProgramTokenDocument {
  _id: string;
  /** The user or service account as whom the program acts. */
  user_id: UserId;
  name: string;
  /** The first characters of the secret, by which people recognise it. */
  prefix: string;
  /** SHA-256 of the secret. It has 256 random bits, so a slow hash would add nothing. */
  hash: string;
  scopes: ProgramScope[];
  project_id: ProjectId | null;
  share_user_id?: string;
  /** The `program_generation` of its user when it was made. */
  generation: number;
  created_at: Date;
  /** When the present secret was made. */
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
      .describe('The only project in which it counts; null for all of them.'),
    created_at: timestamp,
    expires_at: timestamp,
    last_used_at: timestamp.nullable().describe('To the minute.'),
  })
  .meta({ id: 'ProgramToken' });
export type ProgramToken = z.infer<typeof programToken>;

export const programTokenList = z.object({ tokens: z.array(programToken), total: z.number().int() });
export type ProgramTokenList = z.infer<typeof programTokenList>;

/** Answer of requests that make a secret. */
export const newProgramToken = programToken
  .extend({ token: z.string().describe('The token itself, shown only here.') })
  .meta({ id: 'NewProgramToken' });
export type NewProgramToken = z.infer<typeof newProgramToken>;

const expiresAt = z.iso
  .datetime({ offset: true })
  .nullish()
  .describe('When it ends; default: in 90 days, or as long as an installation allows.');

export const tokenName = z.string().trim().min(1).max(100);
export const tokenScopes = z.array(programScope).min(1).max(programScopes.length);

/** Body of POST /auth/tokens. */
export const programTokenRequest = z.object({
  name: tokenName,
  scopes: tokenScopes,
  project_id: projectIdSchema
    .nullish()
    .describe('The only project in which it counts; default: all of them.'),
  expires_at: expiresAt,
  service_account: z
    .string()
    .nullish()
    .describe('Username of a service account for which the token is made; for the owner of its project.'),
});
export type ProgramTokenRequest = z.infer<typeof programTokenRequest>;

/** Body of POST /auth/tokens/{token_id}/rotate. */
export const programTokenRotation = z.object({
  expires_at: expiresAt.describe('When the new one ends; default: after as long as the old one was valid.'),
});

/** Filter of GET /auth/tokens. */
export const programTokenQuery = z.object({
  service_account: z.string().optional().describe('The tokens of this service account; default: your own.'),
});
