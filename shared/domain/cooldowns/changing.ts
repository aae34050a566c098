import type { Collection } from 'mongodb';
import { CalibronError } from '../../kernel/errors.ts';
import type { ProjectId } from '../../kernel/ids.ts';
import type { Actor } from '../accounts/model.ts';
import type { CryostatStore } from './cryostats.ts';
import type { Cooldown, CooldownChange, CooldownDocument, CooldownFacts } from './model.ts';
import type { Occupancy } from './occupancy.ts';
import type { CooldownReading } from './reading.ts';
import { assertInOrder } from './rules.ts';
import { cooldownOf } from './wire.ts';

/** Maximum number of attempts to change a cool-down's dates while others change them. */
const CHANGE_ATTEMPTS = 20;

export interface ChangingDependencies {
  cooldowns: Collection<CooldownDocument>;
  reading: Pick<CooldownReading, 'mustFind' | 'mustFindWhole'>;
  cryostats: CryostatStore;
  occupancy: Occupancy;
}

/** Changes the fields of cool-downs, and reopens those that have ended. */
export function createChanging({ cooldowns, reading, cryostats, occupancy }: ChangingDependencies) {
  const { mustFind, mustFindWhole } = reading;

  /** Undoes the reopening of a cool-down. */
  async function endAgain({ _id, ...before }: CooldownFacts): Promise<void> {
    const { project_id, cryo_id, cooldown_id, ended_at } = before;
    const ended = await cooldowns.findOneAndUpdate(
      { _id, ended_at: null },
      { $set: { ended_at } },
      { returnDocument: 'after' },
    );
    if (!ended) return;
    await occupancy.vacate(ended);
    await cryostats.reserve(project_id, cryo_id, cooldown_id, ended);
  }

  return {
    /**
     * Changes the given fields. A cool-down that gets an end releases its chips; what was written in it keeps its id.
     * @throws not_found, conflict when it would overlap another one, invalid_input for an end before the start
     */
    async change(
      projectId: ProjectId,
      cooldownId: string,
      { note, started_at, ended_at, ...change }: CooldownChange,
      actor: Actor,
    ): Promise<Cooldown> {
      for (let attempt = 0; attempt < CHANGE_ATTEMPTS; attempt += 1) {
        const before = await mustFind(projectId, cooldownId);
        const period = {
          started_at: started_at ?? before.started_at,
          ended_at: ended_at ?? before.ended_at,
        };
        const moved = Boolean(started_at ?? ended_at);
        if (moved) {
          assertInOrder(
            { name: 'started_at', at: period.started_at },
            { name: 'ended_at', at: period.ended_at },
          );
          await cryostats.reserve(projectId, before.cryo_id, cooldownId, period);
        }
        const at = new Date();
        const named = Object.fromEntries(
          Object.entries(change).filter(([, value]) => value !== null && value !== undefined),
        );
        const after = await cooldowns.findOneAndUpdate(
          moved
            ? { _id: before._id, started_at: before.started_at, ended_at: before.ended_at }
            : { _id: before._id },
          {
            $set: {
              ...named,
              ...(moved && period),
              ...(typeof note === 'string' && {
                note: { content: note, updated_by: actor.username, updated_at: at },
              }),
              updated_at: at,
            },
          },
          { returnDocument: 'after' },
        );
        if (!after) continue;
        if (after.ended_at !== null) await occupancy.vacate(after);
        return cooldownOf(after);
      }
      throw tooManyChanges();
    },

    /**
     * Reopens an ended cool-down, all or nothing: it becomes the current one of its chips again. Safe to repeat.
     * @throws not_found, conflict when its cryostat has a later one, or a chip of it is in another active one
     */
    async reopen(projectId: ProjectId, cooldownId: string): Promise<Cooldown> {
      for (let attempt = 0; attempt < CHANGE_ATTEMPTS; attempt += 1) {
        const before = await mustFind(projectId, cooldownId);
        const { _id, cryo_id, started_at, ended_at } = before;
        await cryostats.reserve(projectId, cryo_id, cooldownId, { started_at, ended_at: null });
        const after = await cooldowns.findOneAndUpdate(
          { _id, started_at, ended_at },
          { $set: { ended_at: null, updated_at: new Date() } },
          { returnDocument: 'after' },
        );
        if (!after) continue;
        try {
          for (const chipId of after.chip_ids) await occupancy.resume(projectId, cooldownId, chipId);
        } catch (thrown) {
          if (ended_at !== null) await endAgain(before);
          throw thrown;
        }
        return cooldownOf(await mustFindWhole(projectId, cooldownId));
      }
      throw tooManyChanges();
    },
  };
}

function tooManyChanges(): CalibronError {
  return new CalibronError('conflict', 'Too many requests change this cool-down at the moment; try again.');
}
