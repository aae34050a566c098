import { type CollectionIndexes, type Db, retryDuplicateKey } from '../../kernel/database.ts';
import { CalibronError } from '../../kernel/errors.ts';
import type { ProjectId, UserId } from '../../kernel/ids.ts';
import type { Inbox, InboxPage, Notification, NotificationDocument } from './model.ts';
import { notificationOf } from './wire.ts';

export const notificationIndexes: readonly CollectionIndexes[] = [
  {
    collection: 'notifications',
    indexes: [
      { name: 'by_id', key: { recipient_user_id: 1, id: 1 }, unique: true },
      { name: 'by_time', key: { recipient_user_id: 1, created_at: -1, id: 1 } },
      { name: 'project_time', key: { recipient_user_id: 1, project_id: 1, created_at: -1, id: 1 } },
      { name: 'read_time', key: { recipient_user_id: 1, read_at: 1, created_at: -1, id: 1 } },
      {
        name: 'project_read_time',
        key: { recipient_user_id: 1, project_id: 1, read_at: 1, created_at: -1, id: 1 },
      },
    ],
  },
];

/** An inbox of a user in one project, or in all projects if none is given. */
export interface InboxOf {
  userId: UserId;
  projectId?: ProjectId | undefined;
}

/** The inboxes of all users. */
export function createInboxes(db: Db) {
  const notifications = db.collection<NotificationDocument>('notifications');

  const mine = ({ userId, projectId }: InboxOf) => ({
    recipient_user_id: userId,
    ...(projectId !== undefined && { project_id: projectId }),
  });
  const countUnread = (of: InboxOf) => notifications.countDocuments({ ...mine(of), read_at: null });

  return {
    /** Adds a message to an inbox; false if it is there already, in which case it is unchanged. */
    async put({ _id, ...fields }: NotificationDocument): Promise<boolean> {
      const { upsertedCount } = await retryDuplicateKey(() =>
        notifications.updateOne({ _id }, { $setOnInsert: fields }, { upsert: true }),
      );
      return upsertedCount === 1;
    },

    /** A page of an inbox, newest first. */
    async list(of: InboxOf, { unread_only, skip, limit }: InboxPage): Promise<Inbox> {
      const filter = { ...mine(of), ...(unread_only && { read_at: null }) };
      const [found, total, unread_count] = await Promise.all([
        notifications.find(filter).sort({ created_at: -1, id: 1 }).skip(skip).limit(limit).toArray(),
        notifications.countDocuments(filter),
        countUnread(of),
      ]);
      return { notifications: found.map(notificationOf), total, unread_count, skip, limit };
    },

    countUnread,

    /** Marks a message as read, keeping the first time. @throws not_found */
    async read(userId: UserId, id: string): Promise<Notification> {
      const own = { recipient_user_id: userId, id };
      await notifications.updateOne({ ...own, read_at: null }, { $set: { read_at: new Date() } });
      const found = await notifications.findOne(own);
      if (!found) throw new CalibronError('not_found', 'There is no such notification in your inbox.');
      return notificationOf(found);
    },

    /** @returns the number of messages that were unread */
    async readAll(of: InboxOf): Promise<number> {
      const { modifiedCount } = await notifications.updateMany(
        { ...mine(of), read_at: null },
        { $set: { read_at: new Date() } },
      );
      return modifiedCount;
    },

    /** Removes the inbox of a user. */
    async removeOf(userId: UserId): Promise<void> {
      await notifications.deleteMany({ recipient_user_id: userId });
    },
  };
}

export type Inboxes = ReturnType<typeof createInboxes>;
