import type { Db } from '../../kernel/database.ts';
import { provenanceCollections } from './collections.ts';
import { createComparison } from './comparison.ts';
import { createGraph } from './graph.ts';
import { createNewestVersions } from './newest-versions.ts';
import { createOverview } from './overview.ts';
import { createRecentChanges } from './recent-changes.ts';
import { createRecorder } from './recording.ts';
import { createTrends } from './trends.ts';

export type ProvenanceStore = ReturnType<typeof createProvenanceStore>;

/** Versions of calibration values, the activities that made them, and their relations. */
export function createProvenanceStore(db: Db) {
  const collections = provenanceCollections(db);
  return {
    ...createRecorder(collections),
    ...createOverview(collections),
    ...createComparison(collections),
    ...createRecentChanges(collections),
    ...createGraph(collections),
    ...createTrends(collections),
    ...createNewestVersions(collections),
  };
}
