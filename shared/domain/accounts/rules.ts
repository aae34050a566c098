import { isoTime } from '../../kernel/time.ts';
import type { AdminUser, StoredUser, TokenClaims, User } from './model.ts';

export const usernamePattern = /^[a-z0-9][a-z0-9._-]{1,62}[a-z0-9]$/;

export const MIN_PASSWORD_LENGTH = 8;
/** bcrypt reads no more; a longer password would be cut silently. */
export const MAX_PASSWORD_BYTES = 72;

/** True for a password that bcrypt reads to its end. */
export function fitsBcrypt(password: string): boolean {
  return Buffer.byteLength(password, 'utf8') <= MAX_PASSWORD_BYTES;
}

/** What is wrong with a new password: type of the problem and the rule in words; null when it is acceptable. */
export function passwordProblem(
  password: string,
): { type: 'string_too_short' | 'string_too_long'; rule: string } | null {
  if ([...password].length < MIN_PASSWORD_LENGTH) {
    return { type: 'string_too_short', rule: `should have at least ${MIN_PASSWORD_LENGTH} characters` };
  }
  if (fitsBcrypt(password)) return null;
  return { type: 'string_too_long', rule: `should have at most ${MAX_PASSWORD_BYTES} bytes` };
}

/** A text that people typed: trimmed, and null when nothing is left of it. */
export function trimmedOrNull(text: string | null): string | null {
  return text?.trim() || null;
}

/** Whether the account may administer the service. */
export function isActiveAdministrator(user: Pick<StoredUser, 'system_role' | 'disabled'>): boolean {
  return user.system_role === 'admin' && !user.disabled;
}

/** Failed logins of one username from one address that are allowed within {@link LOGIN_FAILURE_WINDOW}. */
export const MAX_LOGIN_FAILURES = 10;
/** Milliseconds. */
export const LOGIN_FAILURE_WINDOW = 15 * 60 * 1000;

/**
 * Milliseconds until the next login may be tried; 0 when it may be tried now.
 * @param failures the latest failures, oldest first, at most {@link MAX_LOGIN_FAILURES} of them
 */
export function throttledFor(failures: readonly Date[], now: Date): number {
  const oldest = failures.at(-MAX_LOGIN_FAILURES);
  if (!oldest) return 0;
  return Math.max(0, oldest.getTime() + LOGIN_FAILURE_WINDOW - now.getTime());
}

export type TokenVerdict = 'accepted' | 'disabled' | 'revoked';

/** Whether a token with a good signature still opens the account. */
export function judgeToken(user: StoredUser, token: TokenClaims): TokenVerdict {
  if (user.disabled) return 'disabled';
  if (token.generation !== user.token_generation) return 'revoked';
  return user.revoked_tokens.some((revoked) => revoked.token_id === token.token_id) ? 'revoked' : 'accepted';
}

/** The stored user as the API shows it. */
export function wireUser(stored: StoredUser): User {
  return {
    user_id: stored._id,
    username: stored.username,
    display_name: stored.display_name,
    organization: stored.organization,
    avatar_key: stored.avatar_key,
    disabled: stored.disabled,
    default_project_id: stored.default_project_id,
    must_change_password: stored.must_change_password,
    system_role: stored.system_role,
  };
}

/** The stored user as administrators see it. */
export function wireAdminUser(stored: StoredUser): AdminUser {
  return {
    ...wireUser(stored),
    created_at: isoTime(stored.created_at),
    updated_at: isoTime(stored.updated_at),
  };
}
