import { defineArea, type Kernel } from '../../kernel/area.ts';
import type { ProjectId } from '../../kernel/ids.ts';
import { assertRoomWithin } from '../../kernel/quotas.ts';
import type { Backends } from '../backends/index.ts';
import type { TaskResultStore } from '../results/index.ts';
import type { Topologies } from '../topologies/index.ts';
import { calibrationStateIndexes, createCalibrationStateStore } from './calibration-state.ts';
import { createCurrentCooldowns } from './current-cooldowns.ts';
import type { Chip } from './model.ts';
import { createMuxes } from './muxes.ts';
import { createOwnNotes } from './own-notes.ts';
import type { ChipSettings } from './settings.ts';
import { chipIndexes, createChipStore } from './store.ts';
import { createTargetResults } from './target-results.ts';

export { type CalibratedTarget, type CalibrationStateStore, OutdatedWrite } from './calibration-state.ts';
export type { CurrentCooldowns } from './current-cooldowns.ts';
export { ruleOfCollection } from './former-chips.ts';
export { type GivenValues, giveValues, type SeedValue, seedQubits, type ValueOrigin } from './seeding.ts';

export type Chips = ReturnType<typeof chips.create>;

/** Chips, their qubits and couplings, and their calibration state. */
export const chips = defineArea({
  name: 'chips',
  indexes: [...chipIndexes, ...calibrationStateIndexes],
  create({
    db,
    settings,
    results,
    topologies,
    backends,
  }: Kernel<ChipSettings> & {
    results: TaskResultStore;
    topologies: Topologies;
    backends: Pick<Backends, 'ownTasksOf'>;
  }) {
    const store = createChipStore(db, topologies);
    const state = createCalibrationStateStore(db);
    return {
      ...store,
      /** As the store creates it. @throws quota_exceeded */
      async create(...[projectId, username, wanted]: Parameters<typeof store.create>): Promise<Chip> {
        const quota = {
          holder: 'This project',
          things: 'chips',
          limit: settings.CHIPS_PER_PROJECT,
          setting: 'CHIPS_PER_PROJECT',
        } as const;
        assertRoomWithin(quota, await store.count(projectId));
        return store.create(projectId, username, wanted);
      },
      /** Calibration state and its daily history. */
      state,
      /** The topology of a chip; null if its file no longer exists. @throws not_found */
      async topology(projectId: ProjectId, chipId: string) {
        return topologies.find((await store.mustGet(projectId, chipId)).topology_id);
      },
      muxes: createMuxes(store, results, settings.CALIB_DATA_PATH, backends.ownTasksOf),
      /** The active cool-down that each chip is in. */
      currentCooldowns: createCurrentCooldowns(db),
      /** Notes on chips and targets themselves. */
      ownNotes: createOwnNotes(db),
      /** Results of a task by target. */
      targetResults: createTargetResults({
        chips: store,
        state,
        results,
        timezone: settings.TIMEZONE,
        root: settings.CALIB_DATA_PATH,
      }),
    };
  },
});
