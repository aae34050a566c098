import { z } from 'zod';
import { SettingsError } from '../../kernel/secret-files.ts';
import { type SettingsOf, seconds } from '../../kernel/setting-kinds.ts';
import type { KernelSettings } from '../../kernel/settings.ts';

const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Plain HTTP would show the client's secret to the network, so it is for a provider on the same machine only. */
function isProviderAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, search, hash } = new URL(text);
  const isSafe = protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname));
  return isSafe && search === '' && hash === '';
}

const GROUP_ROLE = /^[^=,]+=[0-9a-f-]{36}:(?:editor|viewer)$/;

/** Comma-separated `<group>=<project id>:<role>`. */
function areGroupRoles(text: string): boolean {
  return text.split(',').every((each) => GROUP_ROLE.test(each.trim()));
}

/** Settings of the sign-in with an identity provider. */
export const identityProviderSettings = {
  OIDC_ISSUER: z
    .string()
    .refine(isProviderAddress, 'must be an https:// address')
    .optional()
    .describe('Address of the OpenID Connect provider with which users sign in.'),
  OIDC_CLIENT_ID: z.string().min(1).optional().describe('Client id under which the provider knows Calibron.'),
  OIDC_CLIENT_SECRET: z.string().min(1).optional().describe('Secret of that client.'),
  OIDC_REDIRECT_URI: z
    .string()
    .refine(isProviderAddress, 'must be an https:// address')
    .optional()
    .describe(
      'Address of /auth/oidc/callback as browsers reach it; registered with the provider. Default: under PUBLIC_URL.',
    ),
  OIDC_NAME: z.string().min(1).default('Single sign-on').describe('Name of the provider, shown to users.'),
  OIDC_SCOPES: z.string().min(1).default('openid profile').describe('Scopes to ask the provider for.'),
  OIDC_USERNAME_CLAIM: z
    .string()
    .min(1)
    .default('preferred_username')
    .describe('Claim that gives the username of a new account.'),
  OIDC_CREATE_USERS: z
    .enum(['true', 'false'])
    .default('false')
    .describe('true: the first sign-in with the provider creates an account.'),
  OIDC_GROUPS_CLAIM: z.string().min(1).default('groups').describe("Claim that lists a user's groups."),
  OIDC_GROUP_ROLES: z
    .string()
    .refine(areGroupRoles, 'must be <group>=<project id>:editor or :viewer, comma-separated')
    .optional()
    .describe('Roles that groups give in projects, as `<group>=<project id>:<role>`, comma-separated.'),
  OIDC_SESSION: seconds
    .default(43200)
    .describe('Seconds after which a sign-in with the provider expires, used or not.'),
};

/** The default of OIDC_REDIRECT_URI. @throws SettingsError if only a part of the provider is set */
export function identityProviderDefaults(
  raw: SettingsOf<typeof identityProviderSettings> & Pick<KernelSettings, 'PUBLIC_URL'>,
) {
  const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, OIDC_REDIRECT_URI, PUBLIC_URL } = raw;
  const redirectUri = OIDC_REDIRECT_URI ?? (OIDC_ISSUER && PUBLIC_URL && `${PUBLIC_URL}/auth/oidc/callback`);
  const parts = [OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, redirectUri];
  if (parts.includes(undefined) && parts.some((each) => each !== undefined)) {
    throw new SettingsError([
      'An identity provider needs OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET and OIDC_REDIRECT_URI or PUBLIC_URL; set all or none.',
    ]);
  }
  return { OIDC_REDIRECT_URI: redirectUri };
}

export type IdentityProviderSettings = SettingsOf<typeof identityProviderSettings>;
