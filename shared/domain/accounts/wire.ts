import type { User, UserDocument } from './model.ts';

/** Converts a stored user to the API's format. */
export function userOf(stored: UserDocument): User {
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
