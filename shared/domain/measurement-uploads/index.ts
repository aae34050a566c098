import { defineArea, type Kernel } from '../../kernel/area.ts';
import type { ArtifactSettings } from '../artifacts/settings.ts';
import type { TaskResultStore } from '../results/index.ts';
import { createUploadKey, uploadKeyIndexes } from './store.ts';
import { createUploadTokens } from './tokens.ts';
import { createUploading } from './uploading.ts';

export type MeasurementUploads = ReturnType<typeof measurementUploads.create>;

/** Files uploaded over HTTP by backends without the shared file system, with a token for each measurement. */
export const measurementUploads = defineArea({
  name: 'measurementUploads',
  indexes: [uploadKeyIndexes],
  create({ db, settings, results }: Kernel<ArtifactSettings> & { results: TaskResultStore }) {
    const { issue, read } = createUploadTokens(createUploadKey(db));
    return { tokenOf: issue, readToken: read, ...createUploading(settings, results) };
  },
});
