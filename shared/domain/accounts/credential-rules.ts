/** Format of usernames and passwords, in settings and in requests. */

/** 3 to 64 characters of a-z, 0-9, `_`, `-`, `.`; starts with a letter or digit. */
export const usernamePattern = /^[a-z0-9][a-z0-9._-]{2,63}$/;

export const MIN_PASSWORD_LENGTH = 8;
/** bcrypt silently truncates longer passwords. */
const MAX_PASSWORD_BYTES = 72;

/** True if bcrypt reads the whole password. */
export function fitsBcrypt(password: string): boolean {
  return Buffer.byteLength(password, 'utf8') <= MAX_PASSWORD_BYTES;
}

/**
 * Validates a new password.
 * @param minLength in characters
 * @returns the problem's type and the violated rule as a message; null if the password is acceptable
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
