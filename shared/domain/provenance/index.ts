import { defineArea, type Kernel } from '../../kernel/area.ts';
import { provenanceIndexes } from './collections.ts';
import { createProvenanceStore, type ProvenanceStore } from './store.ts';

export { endedTaskOf } from './ended-task.ts';
export type { RecentVersions } from './newest-versions.ts';
export type { ProvenanceStore } from './store.ts';
export type { EndedTask } from './task-documents.ts';

/** Provenance of calibration values. */
export const provenance = defineArea({
  name: 'provenance',
  indexes: provenanceIndexes,
  create: ({ db }: Kernel): ProvenanceStore => createProvenanceStore(db),
});
