import { keyOf } from '../../kernel/ids.ts';
import { isoTime } from '../../kernel/time.ts';
import type {
  AdminMember,
  Member,
  MembershipStatus,
  Permission,
  Project,
  ProjectRole,
  StoredMembership,
  StoredProject,
} from './model.ts';

/** `last_accessed_at` is written at most so often (milliseconds). */
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
 * The role of a user in a project, null without access. The project's `owner_user_id` alone decides who
 * is owner, so a transfer changes hands with one write.
 */
export function roleIn(
  project: StoredProject,
  membership: StoredMembership | null,
  userId: string,
): ProjectRole | null {
  if (project.owner_user_id === userId) return 'owner';
  return membership?.status === 'active' ? standingOf(project, membership).role : null;
}

/** The membership of a project's owner: stored beside the project, and true even where it is not. */
export function ownerMembership(projectId: string, userId: string, now: Date): StoredMembership {
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

/** What a membership means in its project: its owner is active, and nobody else is owner. */
export function standingOf(
  project: StoredProject,
  membership: StoredMembership,
): { role: ProjectRole; status: MembershipStatus } {
  if (membership.user_id === project.owner_user_id) return { role: 'owner', status: 'active' };
  return { role: membership.role === 'owner' ? 'editor' : membership.role, status: membership.status };
}

/** The stored project as the API shows it. */
export function wireProject(stored: StoredProject): Project {
  return {
    project_id: stored._id,
    owner_user_id: stored.owner_user_id,
    owner_username: stored.owner_username,
    name: stored.name,
    description: stored.description,
    tags: stored.tags,
    default_role: stored.default_role,
    created_at: isoTime(stored.created_at),
    updated_at: isoTime(stored.updated_at),
  };
}

/** A member as administrators see them. */
export function wireAdminMember(member: Member): AdminMember {
  const { user_id, username, display_name, organization, avatar_key, role, status } = member;
  return { user_id, username, display_name, organization, avatar_key, role, status };
}
