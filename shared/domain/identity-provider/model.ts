import { z } from 'zod';
import type { UserId } from '../../kernel/ids.ts';

/** Answer of GET /auth/providers. */
export const signInProviders = z
  .object({
    password: z.enum(['everyone', 'emergency']).describe('Who may sign in with a password.'),
    providers: z.array(
      z.object({
        provider_id: z.literal('oidc'),
        name: z.string(),
        login_url: z.string().describe('Where a browser begins the sign-in.'),
      }),
    ),
  })
  .meta({ id: 'SignInProviders' });
export type SignInProviders = z.infer<typeof signInProviders>;

/** Answer of POST /auth/oidc/logout. */
export const providerLogout = z.object({
  message: z.string(),
  logout_url: z
    .string()
    .nullable()
    .describe('Where a browser ends the session with the provider as well; null if it offers none.'),
});
export type ProviderLogout = z.infer<typeof providerLogout>;

/** Form of POST /auth/oidc/backchannel-logout, which the provider sends. */
export const backChannelLogout = z.object({ logout_token: z.string().min(1).max(16_384) });

/** What a sign-in remembers while the user is at the provider; `_id` is the hash of its state. */
export interface PendingSignInDocument {
  _id: string;
  nonce: string;
  code_verifier: string;
  expires_at: Date;
}

/** Which account a subject of a provider has; `_id` is the hash of issuer and subject. */
export interface IdentityDocument {
  _id: string;
  issuer: string;
  subject: string;
  user_id: UserId;
  created_at: Date;
}

/** A sign-in with the provider; `_id` is the id of the token that was issued for it. */
export interface ProviderSessionDocument {
  _id: string;
  user_id: UserId;
  identity_id: string;
  /** The provider's own session, if it names one. */
  sid: string | null;
  expires_at: Date;
}

/** The provider's claims about a user who signed in. */
export interface ProviderUser {
  subject: string;
  sid: string | null;
  username: string | null;
  display_name: string | null;
  groups: readonly string[];
}
