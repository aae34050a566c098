import { isoTime } from '../../kernel/time.ts';
import type { AdminUser, StoredUser, TokenClaims, User } from './model.ts';

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
