import { z } from 'zod';
import { projectIdSchema, userIdSchema } from '../../kernel/ids.ts';
import { boolean, integer, timestamp } from '../../kernel/wire.ts';

export const notificationKind = z.enum([
  'mention',
  'issue_reply',
  'note_mention',
  'forum_mention',
  'forum_reply',
]);
export type NotificationKind = z.infer<typeof notificationKind>;

export const notificationSource = z.enum(['issue', 'note_event', 'forum_post']);
export type NotificationSource = z.infer<typeof notificationSource>;

/** One message of an inbox. */
export const notification = z
  .object({
    id: z.string(),
    project_id: projectIdSchema,
    recipient_user_id: userIdSchema,
    recipient_username: z.string(),
    actor_user_id: userIdSchema,
    actor_username: z.string(),
    kind: notificationKind,
    source_type: notificationSource,
    source_id: z.string().describe('Id of the post, issue or note event that it is about.'),
    target_url: z.string().describe('Address of the thread or page within the client.'),
    title: z.string(),
    excerpt: z.string(),
    read_at: timestamp.nullable(),
    created_at: timestamp,
  })
  .meta({ id: 'Notification' });
export type Notification = z.infer<typeof notification>;

/** Query of GET /notifications. */
export const inboxPage = z.object({
  unread_only: boolean().prefault(false),
  skip: integer({ min: 0 }).prefault(0),
  limit: integer({ min: 1, max: 200 }).prefault(50),
});
export type InboxPage = z.infer<typeof inboxPage>;

/** Response of GET /notifications, newest first. */
export const inbox = z.object({
  notifications: z.array(notification),
  total: z.number().int().describe('Number of notifications that match the query.'),
  unread_count: z.number().int(),
  skip: z.number().int(),
  limit: z.number().int(),
});
export type Inbox = z.infer<typeof inbox>;

export const unreadCount = z.object({ unread_count: z.number().int() });
export const readAllAnswer = z.object({ updated: z.number().int() });

/** `_id` is `<project>/<recipient>/<source type>/<event>`, so that one event notifies a user once. */
export interface NotificationDocument extends Omit<Notification, 'read_at' | 'created_at'> {
  _id: string;
  read_at: Date | null;
  created_at: Date;
}
