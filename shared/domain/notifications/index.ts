import { defineArea, type Kernel } from '../../kernel/area.ts';
import type { Projects } from '../projects/index.ts';
import { createNotifying } from './notifying.ts';
import { createInboxes, notificationIndexes } from './store.ts';

export type { Written } from './notifying.ts';

export type Notifications = ReturnType<typeof notifications.create>;

/** Users' inboxes, with notifications of what others wrote. */
export const notifications = defineArea({
  name: 'notifications',
  indexes: notificationIndexes,
  create({ db, log, projects }: Kernel & { projects: Pick<Projects, 'members'> }) {
    const inboxes = createInboxes(db);
    return { inboxes, ...createNotifying({ inboxes, members: projects.members, log }) };
  },
});
