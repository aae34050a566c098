import { CalibronError } from '../../kernel/errors.ts';
import type { ProjectId } from '../../kernel/ids.ts';
import { AccountError } from './errors.ts';
import type { TokenClaims } from './model.ts';
import { type ProgramScope, programScopes } from './program-token-model.ts';

/** Every token for programs begins like this, so that scanners for leaked secrets recognise it. */
export const PROGRAM_TOKEN_START = 'cbt_';
/** Number of characters of a secret that are shown. */
export const PREFIX_LENGTH = PROGRAM_TOKEN_START.length + 8;
/** Default number of days for which a token is valid. */
export const DEFAULT_TOKEN_DAYS = 90;
const DAY = 24 * 3_600_000;

/** Whether scopes include one; each scope includes those before it. */
export function permits(granted: readonly ProgramScope[], needed: ProgramScope): boolean {
  const rank = programScopes.indexOf(needed);
  return granted.some((scope) => programScopes.indexOf(scope) >= rank);
}

/**
 * What a request needs: a scope for tokens for programs, or a `person`, who has signed in.
 * @throws insufficient_scope, sign_in_required
 */
export function assertPermitted(token: TokenClaims | null, needed: ProgramScope | 'person'): void {
  const program = token?.program;
  if (!program) return;
  if (needed === 'person') {
    throw new AccountError(
      'sign_in_required',
      'A token for programs may not do this. Sign in as a person and send the access token of that sign-in.',
    );
  }
  if (permits(program.scopes, needed)) return;
  throw new AccountError(
    'insufficient_scope',
    `This token does not have the scope ${needed}. Make a token that has it with POST /auth/tokens.`,
  );
}

/**
 * The project that a request names or whose token is limited to one.
 * @throws forbidden when the token is limited to another project
 */
export function projectOfToken(
  token: TokenClaims | null,
  named: ProjectId | undefined,
): ProjectId | undefined {
  const only = token?.program?.project_id;
  if (!only) return named || undefined;
  if (named && named !== only) {
    throw new CalibronError('forbidden', 'This token is limited to another project.');
  }
  return only;
}

/** For what belongs to no single project. @throws forbidden when the token is limited to a project */
export function assertOfNoProject(token: TokenClaims | null): void {
  if (!token?.program?.project_id) return;
  throw new CalibronError(
    'forbidden',
    'This token is limited to a project, and this request is about more than one project.',
  );
}

/**
 * When a new secret ends.
 * @param wanted as given by its maker
 * @param longest days
 * @throws invalid_input for a time that has passed or is too far away
 */
export function endOfToken(wanted: Date | null, now: Date, longest: number): Date {
  const last = new Date(now.getTime() + longest * DAY);
  if (!wanted) return new Date(now.getTime() + Math.min(DEFAULT_TOKEN_DAYS, longest) * DAY);
  if (wanted > now && wanted <= last) return wanted;
  const rule = `should lie in the future, at most ${longest} days from now`;
  throw new CalibronError('invalid_input', `expires_at ${rule}.`, {
    problems: [{ type: 'value_error', loc: ['body', 'expires_at'], msg: `Input ${rule}` }],
  });
}

/** Default end of a rotated token: it is valid for as long as the former secret was. */
export function endAfterRotation(former: { rotated_at: Date; expires_at: Date }, now: Date): Date {
  return new Date(now.getTime() + former.expires_at.getTime() - former.rotated_at.getTime());
}
