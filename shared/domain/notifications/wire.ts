import { isoTime, isoTimeOrNull } from '../../kernel/time.ts';
import type { Notification, NotificationDocument } from './model.ts';

/** The stored message as the API shows it. */
export function notificationOf({ _id, ...stored }: NotificationDocument): Notification {
  return { ...stored, read_at: isoTimeOrNull(stored.read_at), created_at: isoTime(stored.created_at) };
}
