import { defineArea, type Kernel } from '../../kernel/area.ts';
import { createProvenanceStore, type ProvenanceStore, provenanceIndexes } from './store.ts';

export { endedTaskOf } from './ended-task.ts';
export type { EndedTask, ProvenanceStore } from './store.ts';

/** Where each calibration value came from. */
export const provenance = defineArea({
  name: 'provenance',
  indexes: provenanceIndexes,
  create: ({ db }: Kernel): ProvenanceStore => createProvenanceStore(db),
});
