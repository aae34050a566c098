import { z } from 'zod';
import { count, type SettingsOf } from '../../kernel/setting-kinds.ts';

/** Settings of figures and raw data. */
export const artifactSettings = {
  ARTIFACT_ACCESS: z
    .enum(['open', 'token'])
    .default('open')
    .describe('token: figures, raw data and configuration are read with an access token only.'),
  RAW_DATA_MIB: count
    .default(4096)
    .describe(
      'MiB of files that are kept of one measurement, however large its data is; requests to backends say so.',
    ),
};
export type ArtifactSettings = SettingsOf<typeof artifactSettings>;
