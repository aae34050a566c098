import { number, type SettingsOf } from '../../kernel/setting-kinds.ts';

/** Settings of runs. */
export const runSettings = {
  STAGE_PARALLEL: number
    .int('must be a whole number')
    .min(1, 'must be 1 to 200')
    .max(200, 'must be 1 to 200')
    .default(32)
    .describe('Default number of targets that a stage keeps in flight; a flow may set another.'),
};
export type RunSettings = SettingsOf<typeof runSettings>;
