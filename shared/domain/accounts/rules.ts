import type { TokenClaims, UserDocument } from './model.ts';

/** Trims a text; null if nothing remains. */
export function trimmedOrNull(text: string | null): string | null {
  return text?.trim() || null;
}

/** Whether the account may administer the service. */
export function isActiveAdministrator(user: Pick<UserDocument, 'system_role' | 'disabled'>): boolean {
  return user.system_role === 'admin' && !user.disabled;
}

/** Maximum number of failed logins of one username from one address within {@link LOGIN_FAILURE_WINDOW}. */
export const MAX_LOGIN_FAILURES = 10;
/** Milliseconds. */
export const LOGIN_FAILURE_WINDOW = 15 * 60 * 1000;

/**
 * Milliseconds until the next login attempt is allowed; 0 if it is allowed now.
 * @param failures the latest failures, oldest first, at most {@link MAX_LOGIN_FAILURES}
 */
export function throttledFor(failures: readonly Date[], now: Date): number {
  const oldest = failures.at(-MAX_LOGIN_FAILURES);
  if (!oldest) return 0;
  return Math.max(0, oldest.getTime() + LOGIN_FAILURE_WINDOW - now.getTime());
}

export type TokenVerdict = 'accepted' | 'disabled' | 'revoked' | 'idle';

type TokenState = Pick<
  UserDocument,
  'disabled' | 'token_generation' | 'spared_token' | 'revoked_tokens' | 'token_uses'
>;

/**
 * Whether a token with a valid signature still grants access to the account.
 * @param idle milliseconds after which an unused token expires
 */
export function judgeToken(user: TokenState, token: TokenClaims, idle: number, now: Date): TokenVerdict {
  if (user.disabled) return 'disabled';
  const current = token.generation === user.token_generation || token.token_id === user.spared_token;
  if (!current || user.revoked_tokens.some((revoked) => revoked.token_id === token.token_id))
    return 'revoked';
  return unusedFor(user, token, now) > idle ? 'idle' : 'accepted';
}

/** Whether a token for programs that has not expired still counts for its account. */
export function judgeProgramToken(
  user: Pick<UserDocument, 'disabled' | 'program_generation'>,
  { generation }: Pick<TokenClaims, 'generation'>,
): TokenVerdict {
  if (user.disabled) return 'disabled';
  return generation === (user.program_generation ?? 0) ? 'accepted' : 'revoked';
}

/** Milliseconds since the last recorded use of a token. */
export function unusedFor(user: Pick<UserDocument, 'token_uses'>, token: TokenClaims, now: Date): number {
  return now.getTime() - (user.token_uses?.[token.token_id] ?? token.issued_at).getTime();
}

/** Minimum interval in milliseconds between two recorded uses of a token. */
export function noteEvery(idle: number): number {
  return Math.min(60_000, idle / 10);
}

/** Tokens of a user that have expired unused, so that their last use can be deleted. */
export function forgottenTokens(user: Pick<UserDocument, 'token_uses'>, idle: number, now: Date): string[] {
  return Object.entries(user.token_uses ?? {})
    .filter(([, used]) => now.getTime() - used.getTime() > idle)
    .map(([tokenId]) => tokenId);
}
