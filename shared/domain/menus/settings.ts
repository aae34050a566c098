import { count, type SettingsOf } from '../../kernel/setting-kinds.ts';

/** Settings of menus. */
export const menuSettings = {
  MENUS_PER_PROJECT: count.default(500).describe('Menus of the earlier interface that a project may have.'),
};
export type MenuSettings = SettingsOf<typeof menuSettings>;
