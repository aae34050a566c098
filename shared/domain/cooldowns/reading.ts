import type { Collection } from 'mongodb';
import { CalibronError } from '../../kernel/errors.ts';
import { keyOf, type ProjectId } from '../../kernel/ids.ts';
import type { Cooldown, CooldownDocument, CooldownFacts, ListedCooldown, ListPage } from './model.ts';
import { cooldownOf, listedCooldownOf } from './wire.ts';

const withoutWiring = { wiring_info: 0, wiring_blocks: 0 } as const;

export type CooldownReading = ReturnType<typeof createReading>;

/** Reads cool-downs. */
export function createReading(cooldowns: Collection<CooldownDocument>) {
  const find = (projectId: ProjectId, cooldownId: string): Promise<CooldownFacts | null> =>
    cooldowns.findOne<CooldownFacts>({ _id: keyOf(projectId, cooldownId) }, { projection: withoutWiring });

  async function mustFind(projectId: ProjectId, cooldownId: string): Promise<CooldownFacts> {
    return known(await find(projectId, cooldownId));
  }

  async function mustFindWhole(projectId: ProjectId, cooldownId: string): Promise<CooldownDocument> {
    return known(await cooldowns.findOne({ _id: keyOf(projectId, cooldownId) }));
  }

  return {
    find,
    mustFind,
    mustFindWhole,

    /** The cool-downs of a project, newest first, without their wiring. */
    async list(
      projectId: ProjectId,
      filter: ListPage & { cryo_id?: string | undefined; chip_id?: string | undefined },
    ): Promise<{ cooldowns: ListedCooldown[] }> {
      const found = await cooldowns
        .find({
          project_id: projectId,
          ...(filter.cryo_id !== undefined && { cryo_id: filter.cryo_id }),
          ...(filter.chip_id !== undefined && { chip_ids: filter.chip_id }),
        })
        .sort({ started_at: -1, cooldown_id: 1 })
        .skip(filter.skip)
        .limit(filter.limit)
        .project<CooldownFacts>(withoutWiring)
        .toArray();
      return { cooldowns: found.map(listedCooldownOf) };
    },

    /** One cool-down. @throws not_found */
    async read(projectId: ProjectId, cooldownId: string): Promise<Cooldown> {
      return cooldownOf(await mustFindWhole(projectId, cooldownId));
    },

    /** Cool-downs of a chip that contain a whole period; for a period without an end, only its start must match. */
    async holding(
      projectId: ProjectId,
      chipId: string,
      period: { started_at: Date; ended_at: Date | null },
    ): Promise<CooldownFacts[]> {
      return cooldowns
        .find({
          project_id: projectId,
          chip_ids: chipId,
          started_at: { $lte: period.started_at },
          $or: [{ ended_at: null }, { ended_at: { $gte: period.ended_at ?? period.started_at } }],
        })
        .sort({ started_at: -1, cooldown_id: 1 })
        .limit(2)
        .project<CooldownFacts>(withoutWiring)
        .toArray();
    },
  };
}

/** @throws not_found if there is no such cool-down */
export function known<Found>(found: Found | null): Found {
  if (!found) throw new CalibronError('not_found', 'There is no such cool-down in this project.');
  return found;
}
