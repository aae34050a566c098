import { isoTime } from '../../kernel/time.ts';
import type { StoredUser } from '../accounts/model.ts';
import { wireUser } from '../accounts/rules.ts';
import type { AdminUser } from './model.ts';

/** The stored user as administrators see it. */
export function wireAdminUser(stored: StoredUser): AdminUser {
  return {
    ...wireUser(stored),
    created_at: isoTime(stored.created_at),
    updated_at: isoTime(stored.updated_at),
  };
}
