import { createRemoteJWKSet, jwtVerify } from 'jose';
import * as client from 'openid-client';
import { z } from 'zod';
import { CalibronError } from '../../kernel/errors.ts';
import { IdentityProviderError } from './errors.ts';
import type { PendingSignInDocument, ProviderUser } from './model.ts';
import type { IdentityProviderSettings } from './settings.ts';

/** Seconds that the provider has for an answer. */
const TIMEOUT = 10;
/** Age after which a logout token is refused, so that an old one cannot be sent again. */
const LOGOUT_TOKEN_AGE = '2 minutes';
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';

const text = z.string().min(1).max(500);
const logoutClaims = z
  .object({
    sub: z.string().optional(),
    sid: z.string().optional(),
    events: z.object({ [LOGOUT_EVENT]: z.object({}) }),
    nonce: z.undefined().optional(),
  })
  .refine(({ sub, sid }) => sub !== undefined || sid !== undefined);

/** The provider that the settings name. */
export interface ProviderConfiguration {
  issuer: string;
  clientId: string;
  clientSecret: string;
  redirectUri: string;
}

export type IdentityProvider = ReturnType<typeof createProvider>;

/**
 * The protocol with the identity provider: OpenID Connect, authorization code with PKCE. The provider's description and keys
 * are read for each sign-in, so that a rotated key counts at once and a withdrawn one no longer.
 */
export function createProvider(
  { issuer, clientId, clientSecret, redirectUri }: ProviderConfiguration,
  settings: Pick<IdentityProviderSettings, 'OIDC_SCOPES' | 'OIDC_USERNAME_CLAIM' | 'OIDC_GROUPS_CLAIM'>,
) {
  /** @throws identity_provider_unavailable */
  async function discovered(): Promise<client.Configuration> {
    const execute = [client.enableNonRepudiationChecks];
    // The settings admit plain HTTP on the same machine only.
    if (issuer.startsWith('http:')) execute.push(client.allowInsecureRequests);
    try {
      return await client.discovery(new URL(issuer), clientId, clientSecret, undefined, {
        execute,
        timeout: TIMEOUT,
      });
    } catch (cause) {
      throw unavailable(cause);
    }
  }

  function userOf(claims: client.IDToken): ProviderUser {
    const groups = z.array(z.string()).safeParse(claims[settings.OIDC_GROUPS_CLAIM]);
    const claim = (name: string) => text.safeParse(claims[name]).data ?? null;
    return {
      subject: claims.sub,
      sid: claim('sid'),
      username: claim(settings.OIDC_USERNAME_CLAIM),
      display_name: claim('name')?.slice(0, 100) ?? null,
      groups: groups.data ?? [],
    };
  }

  return {
    issuer,

    /** Where the browser goes to sign in, and what the callback needs. @throws identity_provider_unavailable */
    async begin(): Promise<{ url: URL; state: string; nonce: string; code_verifier: string }> {
      const config = await discovered();
      const [state, nonce, code_verifier] = [
        client.randomState(),
        client.randomNonce(),
        client.randomPKCECodeVerifier(),
      ];
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: settings.OIDC_SCOPES,
        code_challenge: await client.calculatePKCECodeChallenge(code_verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
      });
      return { url, state, nonce, code_verifier };
    },

    /**
     * The user behind the answer with which the browser came back.
     * @throws sign_in_refused for an answer that is not right, identity_provider_unavailable
     */
    async finish(
      query: URLSearchParams,
      state: string,
      { nonce, code_verifier }: Pick<PendingSignInDocument, 'nonce' | 'code_verifier'>,
    ): Promise<ProviderUser> {
      const config = await discovered();
      const url = new URL(redirectUri);
      url.search = query.toString();
      try {
        const tokens = await client.authorizationCodeGrant(config, url, {
          pkceCodeVerifier: code_verifier,
          expectedState: state,
          expectedNonce: nonce,
          idTokenExpected: true,
        });
        const claims = tokens.claims();
        if (claims) return userOf(claims);
      } catch (cause) {
        if (isOutage(cause)) throw unavailable(cause);
        throw refused(cause);
      }
      throw refused();
    },

    /** The claims of a logout token of the provider. @throws sign_in_refused, identity_provider_unavailable */
    async readLogout(token: string): Promise<{ subject: string | null; sid: string | null }> {
      const { jwks_uri, issuer: expected } = (await discovered()).serverMetadata();
      try {
        const { payload } = await jwtVerify(token, createRemoteJWKSet(new URL(jwks_uri ?? issuer)), {
          issuer: expected,
          audience: clientId,
          maxTokenAge: LOGOUT_TOKEN_AGE,
        });
        const { sub, sid } = logoutClaims.parse(payload);
        return { subject: sub ?? null, sid: sid ?? null };
      } catch (cause) {
        if (isOutage(cause)) throw unavailable(cause);
        throw new CalibronError('bad_request', 'The logout token is not valid.', { cause });
      }
    },

    /** Where a browser ends its session with the provider; null if the provider offers none or does not answer. */
    async logoutUrl(afterwards: string): Promise<string | null> {
      try {
        const config = await discovered();
        if (!config.serverMetadata().end_session_endpoint) return null;
        return client.buildEndSessionUrl(config, { post_logout_redirect_uri: afterwards }).href;
      } catch {
        return null; // the user is signed out here anyway
      }
    },
  };
}

function refused(cause?: unknown): CalibronError {
  return new IdentityProviderError(
    'sign_in_refused',
    'The sign-in with the identity provider failed. Begin again with GET /auth/oidc/login.',
    { cause },
  );
}

function unavailable(cause: unknown): CalibronError {
  return new IdentityProviderError(
    'identity_provider_unavailable',
    'The identity provider does not answer; try again.',
    { retryAfter: 10, cause },
  );
}

/** Whether a failure is one of the network or the provider, not of its answer. */
function isOutage(thrown: unknown): boolean {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    const code = 'code' in error ? String(error.code) : '';
    if (/^(?:ECONN|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|UND_ERR|OAUTH_TIMEOUT|ERR_JWKS_TIMEOUT)/.test(code))
      return true;
    if (error.name === 'TimeoutError') return true;
  }
  return false;
}
