import { isoTime } from '../../kernel/time.ts';
import type { AuditDocument, AuditEntry } from './model.ts';

/** Converts a stored entry to the format for administrators. */
export function auditEntryOf({ _id, at, expires_at: _, ...fields }: AuditDocument): AuditEntry {
  return { entry_id: _id, at: isoTime(at), ...fields };
}
