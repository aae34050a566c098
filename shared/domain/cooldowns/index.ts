import { defineArea, type Kernel } from '../../kernel/area.ts';
import type { ProjectId } from '../../kernel/ids.ts';
import type { Chips } from '../chips/index.ts';
import type { TaskResultStore } from '../results/index.ts';
import { createCryostatStore } from './cryostats.ts';
import { createOccupancy } from './occupancy.ts';
import { cooldownIndexes, createCooldownStore } from './store.ts';
import { createWiringStore } from './wiring.ts';

export type Cooldowns = ReturnType<typeof cooldowns.create>;

/** Cryostats, their cool-downs, and which chips were in them. */
export const cooldowns = defineArea({
  name: 'cooldowns',
  indexes: cooldownIndexes,
  create({ db, chips, results }: Kernel & { chips: Chips; results: TaskResultStore }) {
    const cryostats = createCryostatStore(db);
    const occupancy = createOccupancy(db, chips.currentCooldowns);
    const store = createCooldownStore(db, { cryostats, occupancy, chips: chips.currentCooldowns, results });
    const wiring = createWiringStore(db);
    return {
      ...store,
      cryostats,
      wiring,
      /** As the store's `remove`; also deletes the stored wiring events. */
      async remove(projectId: ProjectId, cooldownId: string, force: boolean): Promise<void> {
        await store.remove(projectId, cooldownId, force);
        await wiring.forget(projectId, cooldownId);
      },
    };
  },
});
