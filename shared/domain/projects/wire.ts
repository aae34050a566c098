import { isoTime, isoTimeOrNull } from '../../kernel/time.ts';
import type { UserDocument } from '../accounts/model.ts';
import type {
  AdminMember,
  AdminProjectList,
  Member,
  MembershipDocument,
  Project,
  ProjectDocument,
} from './model.ts';
import { standingOf } from './rules.ts';

/** The stored project as the API shows it. */
export function projectOf(stored: ProjectDocument): Project {
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
export function adminMemberOf(member: Member): AdminMember {
  const { user_id, username, display_name, organization, avatar_key, role, status } = member;
  return { user_id, username, display_name, organization, avatar_key, role, status };
}

/** The stored project as administrators see it. */
export function adminProjectOf(
  stored: ProjectDocument,
  memberCount: number,
): AdminProjectList['projects'][number] {
  return {
    project_id: stored._id,
    name: stored.name,
    owner_user_id: stored.owner_user_id,
    owner_username: stored.owner_username,
    description: stored.description,
    member_count: memberCount,
    created_at: isoTime(stored.created_at),
  };
}

/** What a membership itself says about a member. */
function standingAndInvite(
  project: ProjectDocument,
  membership: MembershipDocument,
  invitedBy: UserDocument | undefined,
): Pick<Member, 'project_id' | 'role' | 'status' | 'invited_by_user_id' | 'invited_by'> {
  return {
    project_id: project._id,
    ...standingOf(project, membership),
    invited_by_user_id: membership.invited_by_user_id,
    invited_by: invitedBy?.username ?? null,
  };
}

/** A member with the details of the account. */
export function memberOf(
  project: ProjectDocument,
  membership: MembershipDocument,
  user: UserDocument,
  invitedBy: UserDocument | undefined,
): Member {
  return {
    ...standingAndInvite(project, membership, invitedBy),
    user_id: user._id,
    username: user.username,
    display_name: user.display_name,
    organization: user.organization,
    avatar_key: user.avatar_key,
    last_accessed_at: isoTimeOrNull(membership.last_accessed_at),
  };
}

/** A member of whose account nothing is shown, or a name that has none. */
export function concealedMemberOf(
  project: ProjectDocument,
  membership: MembershipDocument,
  username: string,
  invitedBy: UserDocument | undefined,
): Member {
  return {
    ...standingAndInvite(project, membership, invitedBy),
    user_id: membership.shown_id ?? membership.user_id,
    username,
    display_name: null,
    organization: null,
    avatar_key: null,
    last_accessed_at: null,
  };
}
