import type { ProjectRole } from './model.ts';
import { roleAllows } from './rules.ts';

/** The reason why runs cannot start in an account's name in any project, as a message; null if they can. */
export function whyNoAccountStarts(username: string, account: { disabled: boolean } | null): string | null {
  if (!account) return `The account ${username} was deleted.`;
  return account.disabled ? `The account ${username} is disabled.` : null;
}

/** The reason why runs cannot start in a user's name in a project, as a message; null if they can. */
export function whyNoStart(
  username: string,
  account: { disabled: boolean } | null,
  role: ProjectRole | null,
): string | null {
  const reason = whyNoAccountStarts(username, account);
  if (reason !== null) return reason;
  if (!role) return `${username} is not a member of this project any more.`;
  return roleAllows(role, 'write') ? null : `${username} may only read in this project.`;
}
