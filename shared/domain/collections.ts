import type { CollectionIndexes } from '../kernel/database.ts';
import { accountIndexes } from './accounts/store.ts';
import { approvalIndexes } from './approvals/store.ts';
import { calibrationStateIndexes } from './chips/calibration-state.ts';
import { chipIndexes } from './chips/store.ts';
import { configurationIndexes } from './configuration/store.ts';
import { commandIndexes } from './executions/command-store.ts';
import { pinnedChipIndexes } from './executions/pinned-chip-store.ts';
import { executionIndexes } from './executions/store.ts';
import { flowIndexes } from './flows/store.ts';
import { deletionIndexes } from './projects/deletion.ts';
import { projectIndexes } from './projects/store.ts';
import { provenanceIndexes } from './provenance/store.ts';
import { taskResultIndexes } from './results/store.ts';
import { idempotencyIndexes } from './runs/idempotency-keys.ts';
import { lockIndexes } from './runs/lock-store.ts';
import { scheduleIndexes } from './schedules/store.ts';

/** Every collection with its indexes; each store declares its own. */
export const collections: readonly CollectionIndexes[] = [
  ...accountIndexes,
  ...projectIndexes,
  deletionIndexes,
  ...chipIndexes,
  ...calibrationStateIndexes,
  ...flowIndexes,
  ...pinnedChipIndexes,
  ...executionIndexes,
  approvalIndexes,
  ...[
    configurationIndexes,
    lockIndexes,
    commandIndexes,
    idempotencyIndexes,
    taskResultIndexes,
    provenanceIndexes,
    scheduleIndexes,
  ].flat(),
];
