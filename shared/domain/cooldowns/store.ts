import type { CollectionIndexes, Db } from '../../kernel/database.ts';
import { CalibronError } from '../../kernel/errors.ts';
import type { ProjectId } from '../../kernel/ids.ts';
import type { CurrentCooldowns } from '../chips/index.ts';
import type { TaskResultStore } from '../results/index.ts';
import { createChanging } from './changing.ts';
import { createCreating } from './creating.ts';
import type { CryostatStore } from './cryostats.ts';
import type { Cooldown, CooldownDocument } from './model.ts';
import type { Occupancy } from './occupancy.ts';
import { createReading, known } from './reading.ts';
import { cooldownOf } from './wire.ts';

export const cooldownIndexes: readonly CollectionIndexes[] = [
  {
    collection: 'cryostats',
    indexes: [{ name: 'by_cryostat', key: { project_id: 1, cryo_id: 1 }, unique: true }],
  },
  {
    collection: 'cooldowns',
    indexes: [
      { name: 'by_start', key: { project_id: 1, started_at: -1, cooldown_id: 1 } },
      { name: 'by_cryostat', key: { project_id: 1, cryo_id: 1, started_at: -1, cooldown_id: 1 } },
      { name: 'by_chip', key: { project_id: 1, chip_ids: 1, started_at: -1, cooldown_id: 1 } },
    ],
  },
  {
    collection: 'wiring_events',
    indexes: [{ name: 'by_time', key: { project_id: 1, cooldown_id: 1, created_at: -1, id: 1 } }],
  },
];

/** Cool-downs: when which cryostat was cold, and with which chips. */
export function createCooldownStore(
  db: Db,
  needs: {
    cryostats: CryostatStore;
    occupancy: Occupancy;
    chips: CurrentCooldowns;
    results: Pick<TaskResultStore, 'anyOfCooldown'>;
  },
) {
  const { cryostats, occupancy, chips, results } = needs;
  const cooldowns = db.collection<CooldownDocument>('cooldowns');
  const reading = createReading(cooldowns);
  const { find, list, read, holding } = reading;

  return {
    find,
    list,
    read,
    holding,
    ...createCreating({ cooldowns, reading, cryostats, occupancy, chips }),
    ...createChanging({ cooldowns, reading, cryostats, occupancy }),

    /**
     * Deletes a cool-down; one that has chips or measurements only when forced.
     * @throws not_found, conflict
     */
    async remove(projectId: ProjectId, cooldownId: string, force: boolean): Promise<void> {
      const found = await reading.mustFind(projectId, cooldownId);
      if (!force && (found.chip_ids.length > 0 || (await results.anyOfCooldown(projectId, cooldownId)))) {
        throw new CalibronError(
          'conflict',
          'This cool-down has chips or results; take the chips out of it, or ask with force=true.',
        );
      }
      const removed = await cooldowns.findOneAndDelete(
        force ? { _id: found._id } : { _id: found._id, chip_ids: [] },
      );
      if (!removed) {
        throw new CalibronError(
          'conflict',
          'The cool-down was changed in the meantime; read it and try again.',
        );
      }
      await occupancy.vacate(removed);
      await cryostats.release(projectId, found.cryo_id, cooldownId);
    },

    /** As {@link Occupancy.assign}. @throws not_found, conflict */
    async assign(projectId: ProjectId, cooldownId: string, chipId: string): Promise<Cooldown> {
      return cooldownOf(known(await occupancy.assign(projectId, cooldownId, chipId)));
    },

    /** As {@link Occupancy.unassign}. @throws not_found */
    async unassign(projectId: ProjectId, cooldownId: string, chipId: string): Promise<Cooldown> {
      return cooldownOf(known(await occupancy.unassign(projectId, cooldownId, chipId)));
    },
  };
}
