import { accountIndexes } from './accounts/store.ts';
import { calibrationStateIndexes } from './chips/calibration-state.ts';
import { chipIndexes } from './chips/store.ts';
import type { CollectionIndexes } from './database.ts';
import { lockIndexes } from './executions/lock-store.ts';
import { idempotencyIndexes } from './executions/starting.ts';
import { stepIndexes } from './executions/step-store.ts';
import { executionIndexes } from './executions/store.ts';
import { flowIndexes } from './flows/store.ts';
import { projectIndexes } from './projects/store.ts';
import { provenanceIndexes } from './provenance/store.ts';
import { taskResultIndexes } from './results/store.ts';

/** Every collection with its indexes; each store declares its own. */
export const collections: readonly CollectionIndexes[] = [
  ...accountIndexes,
  ...projectIndexes,
  ...chipIndexes,
  ...calibrationStateIndexes,
  ...flowIndexes,
  ...executionIndexes,
  ...[lockIndexes, stepIndexes, idempotencyIndexes, taskResultIndexes, provenanceIndexes].flat(),
];
