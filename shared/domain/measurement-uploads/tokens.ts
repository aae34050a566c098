import { createHmac, timingSafeEqual } from 'node:crypto';
import { type UploadClaims, uploadClaims } from './model.ts';

const PREFIX = 'mu1';

/**
 * Tokens of measurements: what they say, signed. The same measurement always has the same token, so a request that is
 * prepared again is the same request.
 */
export function createUploadTokens(keyOf: () => Promise<Buffer>) {
  async function signatureOf(text: string): Promise<Buffer> {
    return createHmac('sha256', await keyOf())
      .update(`${PREFIX}.${text}`)
      .digest();
  }

  return {
    async issue(claims: UploadClaims): Promise<string> {
      const text = Buffer.from(JSON.stringify(claims)).toString('base64url');
      return [PREFIX, text, (await signatureOf(text)).toString('base64url')].join('.');
    },

    /** What a token says, null where we did not sign it. */
    async read(token: string): Promise<UploadClaims | null> {
      const [prefix, text, signature, ...more] = token.split('.');
      if (prefix !== PREFIX || !text || !signature || more.length > 0) return null;
      const given = Buffer.from(signature, 'base64url');
      const right = await signatureOf(text);
      if (given.length !== right.length || !timingSafeEqual(given, right)) return null;
      return uploadClaims.parse(JSON.parse(Buffer.from(text, 'base64url').toString('utf8')));
    },
  };
}
