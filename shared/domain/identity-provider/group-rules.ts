import { type ProjectId, projectIdSchema } from '../../kernel/ids.ts';

/** Role that a group gives in a project. */
export interface GroupRole {
  group: string;
  project_id: ProjectId;
  role: 'editor' | 'viewer';
}

/** Reads `<group>=<project id>:<role>`, comma-separated. */
export function groupRolesOf(setting: string | undefined): GroupRole[] {
  return (setting ?? '').split(',').flatMap((each) => {
    const [, group, project_id, role] = /^\s*([^=]+)=([^:]+):(editor|viewer)\s*$/.exec(each) ?? [];
    if (!group || !project_id) return [];
    return [
      { group, project_id: projectIdSchema.parse(project_id), role: role === 'editor' ? 'editor' : 'viewer' },
    ];
  });
}

/** The role that groups give in each project that a rule names; null for none. The higher of several roles counts. */
export function rolesOf(
  rules: readonly GroupRole[],
  groups: readonly string[],
): Map<ProjectId, GroupRole['role'] | null> {
  const roles = new Map<ProjectId, GroupRole['role'] | null>();
  for (const { group, project_id, role } of rules) {
    const before = roles.get(project_id) ?? null;
    const given = groups.includes(group) ? role : null;
    roles.set(project_id, before === 'editor' ? before : (given ?? before));
  }
  return roles;
}

/** A username from a provider's claim: the part before the @ of an address, in the characters that usernames may have. */
export function usernameFrom(claim: string | null): string | null {
  const name = (claim ?? '')
    .split('@', 1)[0]
    ?.toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '')
    .slice(0, 50);
  return name && name.length >= 3 ? name : null;
}
