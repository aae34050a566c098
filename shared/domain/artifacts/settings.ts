import { z } from 'zod';
import { count, type SettingsOf } from '../../kernel/setting-kinds.ts';

/** Settings of figures and raw data. */
export const artifactSettings = {
  ARTIFACT_ACCESS: z
    .enum(['open', 'token'])
    .default('open')
    .describe('token: figures, raw data and configuration can only be read with an access token.'),
  RAW_DATA_MIB: count
    .default(4096)
    .describe(
      'MiB of files that are kept for one measurement, however large its data is; requests to backends contain this limit.',
    ),
};
export type ArtifactSettings = SettingsOf<typeof artifactSettings>;
