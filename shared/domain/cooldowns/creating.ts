import type { Collection } from 'mongodb';
import { isDuplicateKey } from '../../kernel/database.ts';
import { CalibronError } from '../../kernel/errors.ts';
import { keyOf, type ProjectId } from '../../kernel/ids.ts';
import { insertNew } from '../../kernel/insert-new.ts';
import type { CurrentCooldowns } from '../chips/index.ts';
import type { CryostatStore } from './cryostats.ts';
import type { Cooldown, CooldownDocument, NewCooldown } from './model.ts';
import type { Occupancy } from './occupancy.ts';
import { type CooldownReading, known } from './reading.ts';
import { assertInOrder } from './rules.ts';
import { cooldownOf } from './wire.ts';

export interface CreatingDependencies {
  cooldowns: Collection<CooldownDocument>;
  reading: Pick<CooldownReading, 'find'>;
  cryostats: CryostatStore;
  occupancy: Occupancy;
  chips: CurrentCooldowns;
}

/** Records new cool-downs with their chips. */
export function createCreating({ cooldowns, reading, cryostats, occupancy, chips }: CreatingDependencies) {
  /** Undoes a creation that could not be completed. */
  async function undo(document: CooldownDocument): Promise<void> {
    const last = await cooldowns.findOneAndDelete({ _id: document._id });
    if (last) await occupancy.vacate(last);
    await cryostats.release(document.project_id, document.cryo_id, document.cooldown_id);
  }

  /** Stores a new cool-down; its id must be free. */
  async function insert(document: CooldownDocument): Promise<void> {
    const { project_id, cooldown_id, cryo_id } = document;
    if (await reading.find(project_id, cooldown_id)) throw takenId();
    if (!(await cryostats.reserve(project_id, cryo_id, cooldown_id, document))) {
      throw new CalibronError('bad_request', 'There is no such cryostat in this project.');
    }
    try {
      await insertNew(cooldowns, document);
    } catch (thrown) {
      if (!isDuplicateKey(thrown)) throw thrown;
      // Another request stored a cool-down with this id at the same time: its period is kept, ours is released.
      const other = await reading.find(project_id, cooldown_id);
      if (other?.cryo_id === cryo_id) await cryostats.reserve(project_id, cryo_id, cooldown_id, other);
      else await cryostats.release(project_id, cryo_id, cooldown_id);
      throw takenId();
    }
  }

  return {
    /**
     * Records a cool-down with its chips, all or nothing. One that has already ended does not become the chips' current one.
     * @throws bad_request for an unknown cryostat or chip, conflict for an id that is taken, a cryostat that another cool-down
     * occupies at the time or a chip in another active one, invalid_input for an end before the start
     */
    async create(projectId: ProjectId, wanted: NewCooldown): Promise<Cooldown> {
      const now = new Date();
      const { started_at, cooldown_id, cryo_id } = wanted;
      const ended_at = wanted.ended_at ?? null;
      const chip_ids = [...new Set(wanted.chip_ids ?? [])];
      assertInOrder({ name: 'started_at', at: started_at }, { name: 'ended_at', at: ended_at });
      const unknown = await chips.unknownOf(projectId, chip_ids);
      if (unknown.length > 0) {
        throw new CalibronError(
          'bad_request',
          `There is no such chip in this project: ${unknown.join(', ')}.`,
        );
      }
      const document: CooldownDocument = {
        _id: keyOf(projectId, cooldown_id),
        project_id: projectId,
        cooldown_id,
        cryo_id,
        description: wanted.description ?? '',
        started_at,
        ended_at,
        chip_ids: ended_at === null ? [] : chip_ids,
        note: { content: '', updated_by: '', updated_at: null },
        wiring_info: '',
        wiring_blocks: [],
        created_at: now,
        updated_at: now,
      };
      await insert(document);
      if (ended_at !== null) return cooldownOf(document);
      try {
        let last: CooldownDocument | null = document;
        for (const chipId of chip_ids) last = await occupancy.assign(projectId, cooldown_id, chipId);
        return cooldownOf(known(last));
      } catch (thrown) {
        await undo(document);
        throw thrown;
      }
    },
  };
}

function takenId(): CalibronError {
  return new CalibronError('conflict', 'A cool-down with this id already exists in the project.');
}
