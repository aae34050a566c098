import type { Collection } from 'mongodb';
import { CalibronError } from '../../kernel/errors.ts';
import { keyOf, type ProjectId } from '../../kernel/ids.ts';
import type { CooldownDocument, CryostatDocument, Period } from './model.ts';
import { overlaps } from './rules.ts';

/** Milliseconds after which a reserved period whose cool-down was never stored counts as abandoned. */
const RESERVATION_TIMEOUT = 10_000;

/** Maximum number of attempts to change a cryostat's periods while others change them. */
const RESERVATION_ATTEMPTS = 50;

/** Writes periods unless they have changed since they were read. */
async function written(
  cryostats: Collection<CryostatDocument>,
  { _id, revision }: CryostatDocument,
  periods: CryostatDocument['periods'],
): Promise<boolean> {
  const result = await cryostats.updateOne(
    { _id, revision },
    { $set: { periods, updated_at: new Date() }, $inc: { revision: 1 } },
  );
  return result.matchedCount === 1;
}

/** The periods in which cool-downs occupy cryostats. */
export function createCryostatPeriods(
  cryostats: Collection<CryostatDocument>,
  cooldowns: Collection<CooldownDocument>,
) {
  /**
   * Occupied periods of a cryostat: those of the stored cool-downs, and for a while the reserved ones, because the process that
   * reserved a period may have died before it stored the cool-down.
   */
  async function taken(
    { project_id, cryo_id }: CryostatDocument,
    reserved: CryostatDocument['periods'],
  ): Promise<(Period & { cooldown_id: string })[]> {
    const since = Date.now() - RESERVATION_TIMEOUT;
    const stored = await cooldowns
      .find({ _id: { $in: reserved.map(({ cooldown_id }) => keyOf(project_id, cooldown_id)) }, cryo_id })
      .project<Period & { cooldown_id: string }>({ cooldown_id: 1, started_at: 1, ended_at: 1 })
      .toArray();
    const fresh = reserved.filter(({ reserved_at }) => reserved_at.getTime() > since);
    return [...stored, ...fresh];
  }

  return {
    taken,

    /**
     * Reserves a cryostat for the period of a cool-down, replacing its earlier period there.
     * @returns false when there is no such cryostat
     * @throws conflict when another cool-down occupies it in that period
     */
    async reserve(
      projectId: ProjectId,
      cryoId: string,
      cooldownId: string,
      period: Period,
    ): Promise<boolean> {
      for (let attempt = 0; attempt < RESERVATION_ATTEMPTS; attempt += 1) {
        const found = await cryostats.findOne({ _id: keyOf(projectId, cryoId) });
        if (!found) return false;
        const others = found.periods.filter((each) => each.cooldown_id !== cooldownId);
        const standing = await taken(found, others);
        const inTheWay = standing.find((each) => overlaps(each, period));
        if (inTheWay) {
          throw new CalibronError(
            'conflict',
            `The cool-down ${inTheWay.cooldown_id} uses this cryostat at that time; two cool-downs of a cryostat may not overlap.`,
          );
        }
        const known = new Set(standing.map(({ cooldown_id }) => cooldown_id));
        const kept = others.filter((other) => known.has(other.cooldown_id) || !overlaps(other, period));
        const { started_at, ended_at } = period;
        const mine = { cooldown_id: cooldownId, started_at, ended_at, reserved_at: new Date() };
        if (await written(cryostats, found, [...kept, mine])) return true;
      }
      throw new CalibronError('conflict', 'Too many requests change this cryostat at the moment; try again.');
    },

    /** Releases the period that a cool-down had reserved. */
    async release(projectId: ProjectId, cryoId: string, cooldownId: string): Promise<void> {
      await cryostats.updateOne(
        { _id: keyOf(projectId, cryoId) },
        { $pull: { periods: { cooldown_id: cooldownId } }, $inc: { revision: 1 } },
      );
    },
  };
}
