import type { CollectionIndexes } from '../kernel/database.ts';
import { accountIndexes } from './accounts/store.ts';
import { indexes as approvalIndexes } from './approvals/index.ts';
import { calibrationStateIndexes } from './chips/calibration-state.ts';
import { chipIndexes } from './chips/store.ts';
import { configurationIndexes } from './configuration/store.ts';
import { indexes as executionIndexes } from './executions/index.ts';
import { indexes as flowIndexes } from './flows/index.ts';
import { deletionIndexes } from './projects/deletion.ts';
import { projectIndexes } from './projects/store.ts';
import { provenanceIndexes } from './provenance/store.ts';
import { indexes as resultIndexes } from './results/index.ts';
import { indexes as runIndexes } from './runs/index.ts';
import { scheduleIndexes } from './schedules/store.ts';

/** Every collection with its indexes; each store declares its own. */
export const collections: readonly CollectionIndexes[] = [
  ...accountIndexes,
  ...projectIndexes,
  deletionIndexes,
  ...chipIndexes,
  ...calibrationStateIndexes,
  ...flowIndexes,
  ...resultIndexes,
  ...executionIndexes,
  ...approvalIndexes,
  ...runIndexes,
  ...[configurationIndexes, provenanceIndexes, scheduleIndexes].flat(),
];
