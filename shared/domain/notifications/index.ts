import { defineArea, type Kernel } from '../../kernel/area.ts';
import type { Projects } from '../projects/index.ts';
import { createInboxes, notificationIndexes } from './store.ts';
import { createTelling } from './telling.ts';

export type { Written } from './telling.ts';

export type Notifications = ReturnType<typeof notifications.create>;

/** Users' inboxes, with notifications of what others wrote. */
export const notifications = defineArea({
  name: 'notifications',
  indexes: notificationIndexes,
  create({ db, log, projects }: Kernel & { projects: Pick<Projects, 'members'> }) {
    const inboxes = createInboxes(db);
    return { inboxes, ...createTelling({ inboxes, members: projects.members, log }) };
  },
});
