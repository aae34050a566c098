import type { ProjectRole } from './model.ts';
import { roleAllows } from './rules.ts';

/** Why runs are not started in the name of an account wherever it is a member, as a sentence; null when they are. */
export function whyNoAccountStarts(username: string, account: { disabled: boolean } | null): string | null {
  if (!account) return `The account ${username} was deleted.`;
  return account.disabled ? `The account ${username} is disabled.` : null;
}

/** Why runs are not started in the name of a user in a project, as a sentence; null when they are. */
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
