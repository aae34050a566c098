import type { ProjectId, UserId } from '../../kernel/ids.ts';
import { newUserId } from '../../kernel/new-ids.ts';
import type { UserDocument } from '../accounts/model.ts';

/** Share of the password threads that accounts created by administrators use. */
export const ADMINISTRATION = 'administration';

type Given = Pick<UserDocument, 'username' | 'hashed_password' | 'must_change_password'> &
  Partial<UserDocument>;

/** A user to store: by default an ordinary, enabled account. */
export function newUser(given: Given): UserDocument {
  const now = new Date();
  return {
    _id: newUserId(),
    display_name: null,
    organization: null,
    avatar_key: null,
    disabled: false,
    default_project_id: null,
    system_role: 'user',
    token_generation: 0,
    revoked_tokens: [],
    created_at: now,
    updated_at: now,
    ...given,
  };
}

/** Name of the project that is created for an account. */
export function defaultProjectName(username: string): string {
  return `${username}'s project`;
}

/** Creates a project with a given id; does nothing if it exists. */
export type EnsureProject = (
  owner: { user_id: UserId; username: string },
  project: { project_id: ProjectId; name: string },
) => Promise<void>;
