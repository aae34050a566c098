import { z } from 'zod';
import { projectIdSchema, userIdSchema } from '../../kernel/ids.ts';
import { timestamp } from '../../kernel/wire.ts';
import { displayName } from '../accounts/model.ts';
import { newProgramToken, programToken, tokenScopes } from '../accounts/program-token-model.ts';

/** Roles of service accounts; a project's owner is a person. */
const serviceRole = z.enum(['editor', 'viewer']);

/** A service account as the API shows it. */
export const serviceAccount = z
  .object({
    user_id: userIdSchema,
    username: z
      .string()
      .describe('Name under which it acts: its own name, and a part that belongs to the project.'),
    name: z.string(),
    display_name: z.string().nullable(),
    project_id: projectIdSchema,
    role: serviceRole.nullable().describe('null when its membership has been ended.'),
    disabled: z.boolean(),
    created_by: z.string().describe('Username of the person whose share of the limits it uses.'),
    created_at: timestamp,
    tokens: z.array(programToken),
  })
  .meta({ id: 'ServiceAccount' });
export type ServiceAccount = z.infer<typeof serviceAccount>;

export const serviceAccountList = z.object({
  service_accounts: z.array(serviceAccount).describe('Sorted by username.'),
  total: z.number().int(),
});
export type ServiceAccountList = z.infer<typeof serviceAccountList>;

/** Answer of POST /projects/{project_id}/service-accounts. */
export const newServiceAccount = serviceAccount
  .extend({ token: newProgramToken.shape.token })
  .meta({ id: 'CreatedServiceAccount' });
export type NewServiceAccount = z.infer<typeof newServiceAccount>;

/** Body of POST /projects/{project_id}/service-accounts. */
export const serviceAccountRequest = z.object({
  name: z
    .string()
    .regex(/^[a-z0-9][a-z0-9._-]{0,39}$/)
    .describe('1 to 40 of a-z, 0-9, `.`, `_`, `-`; unique within the project.'),
  display_name: displayName.default(null),
  role: serviceRole.default('viewer'),
  scopes: tokenScopes.default(['run']).describe('Scopes of the first token.'),
  expires_at: z.iso.datetime({ offset: true }).nullish().describe('When the first token expires.'),
});
export type ServiceAccountRequest = z.infer<typeof serviceAccountRequest>;

/** Body of PATCH /projects/{project_id}/service-accounts/{username}: absent or null fields stay unchanged. */
export const serviceAccountChange = z.object({
  role: serviceRole.nullish(),
  display_name: displayName.optional(),
  disabled: z.boolean().nullish().describe('true also revokes its tokens.'),
});
export type ServiceAccountChange = z.infer<typeof serviceAccountChange>;
