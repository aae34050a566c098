import { isoTime } from '../../kernel/time.ts';
import type { UserDocument } from '../accounts/model.ts';
import { userOf } from '../accounts/wire.ts';
import type { AdminUser } from './model.ts';

/** Converts a stored user to the format for administrators. */
export function adminUserOf(stored: UserDocument): AdminUser {
  return {
    ...userOf(stored),
    created_at: isoTime(stored.created_at),
    updated_at: isoTime(stored.updated_at),
  };
}
