import { z } from 'zod';
import type { SettingsOf } from '../../kernel/setting-kinds.ts';

/** Settings of figures and raw data. */
export const artifactSettings = {
  ARTIFACT_ACCESS: z
    .enum(['open', 'token'])
    .default('open')
    .describe('token: figures, raw data and configuration are read with an access token only.'),
};
export type ArtifactSettings = SettingsOf<typeof artifactSettings>;
