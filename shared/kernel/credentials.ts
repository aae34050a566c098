/** The form of usernames and passwords, in settings as in requests. */

/** 3 to 64 of a-z, 0-9, `_`, `-`, `.`; begins with a letter or digit. */
export const usernamePattern = /^[a-z0-9][a-z0-9._-]{2,63}$/;

export const MIN_PASSWORD_LENGTH = 8;
/** bcrypt reads no more; a longer password would be cut silently. */
const MAX_PASSWORD_BYTES = 72;

/** True for a password that bcrypt reads to its end. */
export function fitsBcrypt(password: string): boolean {
  return Buffer.byteLength(password, 'utf8') <= MAX_PASSWORD_BYTES;
}

/**
 * What is wrong with a new password: type of the problem and the rule in words; null when it is acceptable.
 * @param minLength characters
 */
export function passwordProblem(
  password: string,
  minLength = MIN_PASSWORD_LENGTH,
): { type: 'string_too_short' | 'string_too_long'; rule: string } | null {
  if ([...password].length < minLength) {
    return { type: 'string_too_short', rule: `should have at least ${minLength} characters` };
  }
  if (fitsBcrypt(password)) return null;
  return { type: 'string_too_long', rule: `should have at most ${MAX_PASSWORD_BYTES} bytes` };
}
