import { keyOf, type ProjectId, type UserId, userIdSchema } from '../../kernel/ids.ts';
import type {
  MembershipDocument,
  MembershipStatus,
  Permission,
  ProjectDocument,
  ProjectRole,
} from './model.ts';

/** Minimum interval between writes of `last_accessed_at`, in milliseconds. */
export const ACCESS_NOTE_INTERVAL = 60_000;

const permissions: Record<ProjectRole, readonly Permission[]> = {
  owner: ['read', 'write', 'admin'],
  editor: ['read', 'write'],
  viewer: ['read'],
};

export function roleAllows(role: ProjectRole, permission: Permission): boolean {
  return permissions[role].includes(permission);
}

/**
 * The role of a user in a project, null without access. Only the project's `owner_user_id` decides who is owner, so that
 * one write transfers the ownership.
 */
export function roleIn(
  project: ProjectDocument,
  membership: MembershipDocument | null,
  userId: UserId,
): ProjectRole | null {
  if (project.owner_user_id === userId) return 'owner';
  return membership?.status === 'active' ? standingOf(project, membership).role : null;
}

/** The owner's membership of a project; it is valid even if it is not stored. */
export function ownerMembership(projectId: ProjectId, userId: UserId, now: Date): MembershipDocument {
  return {
    _id: keyOf(projectId, userId),
    project_id: projectId,
    user_id: userId,
    role: 'owner',
    status: 'active',
    invited_by_user_id: null,
    last_accessed_at: null,
    created_at: now,
  };
}

/**
 * Whether nothing of a member's account is shown: somebody who shares no project with them invited the name, and nobody has entered
 * the project under it. The same is shown of a name without an account, so invites do not reveal which names have one.
 */
export function isConcealed(membership: MembershipDocument): boolean {
  return membership.shown_id !== undefined && membership.last_accessed_at === null;
}

const NAME = 'name:';

/** Placeholder for the user id in an invite of a name without an account. */
export function idOfName(username: string): UserId {
  return userIdSchema.parse(`${NAME}${username}`);
}

/** The name of an invite without an account; null for a member. */
export function nameOfId(userId: UserId): string | null {
  return userId.startsWith(NAME) ? userId.slice(NAME.length) : null;
}

/** The effective membership in its project: the owner is always active, and no other member is owner. */
export function standingOf(
  project: ProjectDocument,
  membership: MembershipDocument,
): { role: ProjectRole; status: MembershipStatus } {
  if (membership.user_id === project.owner_user_id) return { role: 'owner', status: 'active' };
  return { role: membership.role === 'owner' ? 'editor' : membership.role, status: membership.status };
}
