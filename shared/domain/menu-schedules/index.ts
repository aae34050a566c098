import { defineArea, type Kernel } from '../../kernel/area.ts';
import type { Menus } from '../menus/index.ts';
import type { Schedules } from '../schedules/index.ts';
import { createMenuSchedules } from './menu-schedules.ts';

export type MenuSchedules = ReturnType<typeof menuSchedules.create>;

/** Scheduled runs of menus: schedules of the flow that runs menus. */
export const menuSchedules = defineArea({
  name: 'menuSchedules',
  indexes: [],
  create: ({ settings, menus, schedules }: Kernel & { menus: Menus; schedules: Schedules }) =>
    createMenuSchedules({ menus, schedules, settings }),
});
