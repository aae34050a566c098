import { count, type SettingsOf } from '../../kernel/setting-kinds.ts';

/** Settings of images. */
export const imageSettings = {
  IMAGES_MIB_PER_PROJECT: count
    .default(1024)
    .describe('MiB of images that a project may have in its forum and its issues.'),
};
export type ImageSettings = SettingsOf<typeof imageSettings>;
