import { count, type SettingsOf } from '../../kernel/setting-kinds.ts';

/** Settings of chips. */
export const chipSettings = {
  CHIPS_PER_PROJECT: count.default(100).describe('Chips that a project may have.'),
};
export type ChipSettings = SettingsOf<typeof chipSettings>;
