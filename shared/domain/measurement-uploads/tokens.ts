import { createHmac, timingSafeEqual } from 'node:crypto';
import { type UploadClaims, uploadClaims } from './model.ts';

const PREFIX = 'mu1';

/**
 * Signed tokens of measurements. The token of a measurement is deterministic, so that preparing its request again gives
 * the same request.
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

    /** The content of a token; null if its signature is not ours. */
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
