import { z } from 'zod';
import { boolean, timestamp } from '../../kernel/wire.ts';
import { displayName, newPassword, organization, systemRole, user, username } from '../accounts/model.ts';

/** For administrators, who may also clear the key with an empty string. */
const avatarKeyOrBlank = z
  .string()
  .max(64)
  .regex(/^\s*[a-z0-9_-]*\s*$/)
  .nullable();

/** Body of POST /auth/reset-password. */
export const passwordReset = z.object({
  username,
  new_password: newPassword.nullish().describe('Generated when absent.'),
});
export type PasswordReset = z.infer<typeof passwordReset>;

/** Answer of POST /auth/reset-password. */
export const passwordResetAnswer = z.object({
  message: z.string(),
  initial_password: z.string().optional().describe('The generated password, shown only here.'),
});
export type PasswordResetAnswer = z.infer<typeof passwordResetAnswer>;

/** Body of POST /auth/register. */
export const registration = z.object({
  username,
  password: newPassword.nullish().describe('Generated when absent.'),
  display_name: displayName.default(null),
  organization: organization.default(null),
  avatar_key: avatarKeyOrBlank.default(null),
  create_default_project: boolean().prefault(false),
});
export type Registration = z.infer<typeof registration>;

/** Answer of POST /auth/register. */
export const registeredUser = user
  .extend({
    access_token: z.string(),
    initial_password: z.string().nullable().describe('The generated password, shown only here.'),
  })
  .meta({ id: 'RegisteredUser' });
export type RegisteredUser = z.infer<typeof registeredUser>;

/** A user as administrators see it. */
export const adminUser = user
  .extend({ created_at: timestamp, updated_at: timestamp })
  .meta({ id: 'AdminUser' });
export type AdminUser = z.infer<typeof adminUser>;

/** Answer of GET /admin/users. */
export const userList = z.object({ users: z.array(user), total: z.number().int() });
export type UserList = z.infer<typeof userList>;

/** Body of PUT /admin/users/{username}: absent or null fields stay unchanged, an empty string clears. */
export const userChange = z.object({
  display_name: displayName.optional(),
  organization: organization.optional(),
  avatar_key: avatarKeyOrBlank.optional(),
  disabled: boolean().nullish(),
  system_role: systemRole.nullish(),
});
export type UserChange = z.infer<typeof userChange>;

/** Maximum size of an import file in bytes. */
export const MAX_IMPORT_BYTES = 2 * 1024 * 1024;

/** Result of one row of a bulk import. */
const importedRow = z
  .object({
    row_number: z.number().int().describe('Row of the file; its header is row 1.'),
    username: z.string(),
    display_name: z.string().nullable(),
    organization: z.string().nullable(),
    system_role: systemRole,
    initial_password: z.string().nullable().describe('The generated password, shown only here.'),
    status: z.enum(['created', 'skipped', 'failed']),
    message: z.string().nullable(),
  })
  .meta({ id: 'ImportedRow' });
export type ImportedRow = z.infer<typeof importedRow>;

/** Answer of POST /admin/users/bulk-import. */
export const importAnswer = z.object({
  results: z.array(importedRow),
  created: z.number().int(),
  skipped: z.number().int(),
  failed: z.number().int(),
  total: z.number().int(),
});
export type ImportAnswer = z.infer<typeof importAnswer>;
