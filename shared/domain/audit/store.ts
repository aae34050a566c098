import type { CollectionIndexes, Db } from '../../kernel/database.ts';
import { insertNew } from '../../kernel/insert-new.ts';
import { newId } from '../../kernel/new-ids.ts';
import type { AuditDocument, AuditList, AuditQuery } from './model.ts';
import { auditEntryOf } from './wire.ts';

const newestFirst = { at: -1, _id: -1 } as const;

export const auditIndexes: CollectionIndexes = {
  collection: 'audit_entries',
  indexes: [
    { name: 'by_time', key: newestFirst },
    { name: 'by_user', key: { username: 1, ...newestFirst } },
    { name: 'by_project', key: { project_id: 1, ...newestFirst } },
    { name: 'by_action', key: { action: 1, ...newestFirst } },
    { name: 'expiry', key: { expires_at: 1 }, expireAfterSeconds: 0 },
  ],
};

const DAY = 24 * 3_600_000;

export type AuditTrail = ReturnType<typeof createAuditTrail>;

/** The audit trail: entries are added and read, never changed. @param days retention time in days */
export function createAuditTrail(db: Db, days: number) {
  const entries = db.collection<AuditDocument>(auditIndexes.collection);
  return {
    /** Adds an entry. */
    async add(entry: Omit<AuditDocument, '_id' | 'at' | 'expires_at'>): Promise<void> {
      const at = new Date();
      await insertNew(entries, {
        _id: newId(),
        at,
        ...entry,
        expires_at: new Date(at.getTime() + days * DAY),
      });
    },

    /** A page of the matching entries, newest first. */
    async page({ username, project_id, action, from, to, skip, limit }: AuditQuery): Promise<AuditList> {
      // The store deletes expired entries with a delay, and some stores never do.
      const kept = new Date(Date.now() - days * DAY);
      const found = await entries
        .find({
          ...(username !== undefined && { username }),
          ...(project_id !== undefined && { project_id }),
          ...(action !== undefined && { action }),
          at: { $gte: from && from > kept ? from : kept, ...(to && { $lt: to }) },
        })
        .sort(newestFirst)
        .skip(skip)
        .limit(limit + 1)
        .toArray();
      return { entries: found.slice(0, limit).map(auditEntryOf), has_more: found.length > limit };
    },
  };
}
