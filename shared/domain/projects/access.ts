import { CalibronError } from '../../kernel/errors.ts';
import type { ProjectId, UserId } from '../../kernel/ids.ts';
import type { TokenClaims } from '../accounts/model.ts';
import { projectOfToken } from '../accounts/program-token-rules.ts';
import { ProjectError } from './errors.ts';
import type { Permission, ProjectDocument, ProjectScope } from './model.ts';
import { roleAllows, roleIn } from './rules.ts';
import type { ProjectStore } from './store.ts';

/** Where a request may name its project, in order of precedence. */
export interface NamedProject {
  path: ProjectId | undefined;
  header: ProjectId | undefined;
}

/** Who enters a project: a user, and the token of the request. */
export interface Entering {
  user: { _id: UserId; default_project_id: ProjectId | null };
  token: TokenClaims | null;
}

/**
 * Resolves the project of a request (path, header, the user's default, a project that the user owns, the user's only
 * membership) and checks the caller's permission in it. A token for programs that is limited to a project enters no other.
 * @throws project_required, not_found, forbidden
 */
export async function enterProject(
  projects: ProjectStore,
  { user, token }: Entering,
  named: NamedProject,
  permission: Permission,
): Promise<ProjectScope> {
  const wanted = projectOfToken(token, named.path || named.header) ?? user.default_project_id;
  const [project, membership] = wanted
    ? await Promise.all([projects.find(wanted), projects.membership(wanted, user._id)])
    : await impliedProject(projects, user._id);
  if (!project) throw new CalibronError('not_found', 'There is no such project.');
  const role = roleIn(project, membership, user._id);
  if (!role) throw new CalibronError('forbidden', 'You have no access to this project.');
  if (!roleAllows(role, permission)) {
    throw new CalibronError(
      'forbidden',
      `You need permission to ${permissionWords[permission]} in this project.`,
    );
  }
  if (membership) await projects.noteAccess(membership, new Date());
  return { project, role };
}

const permissionWords: Record<Permission, string> = { read: 'read', write: 'write', admin: 'administer' };

async function impliedProject(
  projects: ProjectStore,
  userId: UserId,
): Promise<[ProjectDocument | null, Awaited<ReturnType<ProjectStore['membership']>>]> {
  const owned = await projects.ownedBy(userId);
  if (owned) return [owned, await projects.membership(owned._id, userId)];
  const only = await projects.onlyMembership(userId);
  if (!only) throw new ProjectError('project_required', 'Name the project in the header X-Project-Id.');
  return [await projects.find(only.project_id), only];
}
