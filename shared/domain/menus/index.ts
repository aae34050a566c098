import { defineArea, type Kernel } from '../../kernel/area.ts';
import type { Backends } from '../backends/index.ts';
import type { Chips } from '../chips/index.ts';
import { createMenus } from './menus.ts';
import type { MenuSettings } from './settings.ts';
import { createMenuStore, menuIndexes } from './store.ts';

export { taskDetail, taskDetailOf } from './task-details.ts';

export type Menus = ReturnType<typeof menus.create>;

/** Saved calibration menus of the earlier interface's users: tasks, and the order of the targets. */
export const menus = defineArea({
  name: 'menus',
  indexes: [menuIndexes],
  create: ({
    db,
    settings,
    chips,
    backends,
  }: Kernel<MenuSettings> & { chips: Chips; backends: Pick<Backends, 'tasksOf'> }) =>
    createMenus({ menus: createMenuStore(db), chips, settings, tasksOf: backends.tasksOf }),
});
