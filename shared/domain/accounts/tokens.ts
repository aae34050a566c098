import { webcrypto } from 'node:crypto';
import { join } from 'node:path';
import { jwtVerify, SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { keptSecret } from '../../kernel/files/kept-secret.ts';
import { type UserId, userIdSchema } from '../../kernel/ids.ts';
import { newId } from '../../kernel/new-ids.ts';
import type { TokenClaims } from './model.ts';

const ISSUER = 'calibron';
/** Number of tokens whose verified signature is cached. */
const REMEMBERED_TOKENS = 10_000;
const payload = z.object({
  sub: z.string(),
  jti: z.string(),
  gen: z.number().int(),
  iat: z.number(),
  exp: z.number(),
});

/** What a token is given instead of the defaults. */
export interface NewToken {
  token_id?: string;
  /** Seconds; the configured lifetime if that is shorter. */
  lifetime?: number;
}

export interface Tokens {
  /** Reads the key at startup, so that a missing key fails the start and not the first login. */
  prepare(): Promise<void>;
  /** Milliseconds after which an unused token expires. */
  idle: number;
  /** A signed token for a user, and its lifetime in seconds if it is not used. */
  issue(
    user: { _id: UserId; token_generation: number },
    options?: NewToken,
  ): Promise<{ access_token: string; expires_in: number }>;
  /** The claims of a token; null when its signature, format or age is invalid. */
  read(token: string): Promise<TokenClaims | null>;
}

/**
 * Signs and reads access tokens (JWT, HS256).
 * @param readSecret returns the key's text; called once, when the key is first needed
 * @param limits seconds: `lifetime` of any token, `idle` of an unused one
 */
export function createTokens(
  readSecret: () => Promise<string>,
  { lifetime, idle }: { lifetime: number; idle: number },
): Tokens {
  let imported: Promise<webcrypto.CryptoKey> | undefined;
  const theKey = () => {
    imported ??= importKey(readSecret);
    return imported;
  };
  /** A valid signature stays valid; the age of a token is checked each time. */
  const recent = new LRUCache<string, TokenClaims>({ max: REMEMBERED_TOKENS });

  async function verified(token: string): Promise<TokenClaims | null> {
    const key = await theKey();
    try {
      const { payload: given } = await jwtVerify(token, key, { algorithms: ['HS256'], issuer: ISSUER });
      const claims = payload.parse(given);
      return {
        user_id: userIdSchema.parse(claims.sub),
        token_id: claims.jti,
        generation: claims.gen,
        issued_at: new Date(claims.iat * 1000),
        expires_at: new Date(claims.exp * 1000),
      };
    } catch {
      return null; // all errors give the same answer
    }
  }

  return {
    idle: idle * 1000,
    async prepare() {
      await theKey();
    },
    async issue(user, { token_id = newId(), lifetime: wanted = lifetime } = {}) {
      const seconds = Math.ceil(Math.min(wanted, lifetime));
      const key = await theKey();
      const issuedAt = Math.floor(Date.now() / 1000);
      const token = await new SignJWT({ gen: user.token_generation })
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .setIssuer(ISSUER)
        .setSubject(user._id)
        .setJti(token_id)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + seconds)
        .sign(key);
      return { access_token: token, expires_in: Math.ceil(Math.min(idle, seconds)) };
    },
    async read(token) {
      const known = recent.get(token);
      if (known) return known.expires_at.getTime() > Date.now() ? known : null;
      const claims = await verified(token);
      if (claims) recent.set(token, claims);
      return claims;
    },
  };
}

async function importKey(readSecret: () => Promise<string>): Promise<webcrypto.CryptoKey> {
  const bytes = new TextEncoder().encode(await readSecret());
  return webcrypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
    'verify',
  ]);
}

/**
 * The key that signs tokens: the setting, else the file `token-secret` in the data directory, which the first process creates.
 */
export async function tokenSecret(given: string | undefined, dataDir: string): Promise<string> {
  if (given !== undefined) return given;
  return keptSecret(join(dataDir, 'token-secret'));
}
