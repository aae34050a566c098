import { type CollectionIndexes, type Db, isDuplicateKey } from '../../kernel/database.ts';
import { CalibronError } from '../../kernel/errors.ts';
import { keyOf, type ProjectId } from '../../kernel/ids.ts';
import { insertNew } from '../../kernel/insert-new.ts';
import type { Actor } from '../accounts/model.ts';
import type { CurrentCooldowns } from '../chips/index.ts';
import type { TaskResultStore } from '../results/index.ts';
import type { CryostatStore } from './cryostats.ts';
import type {
  Cooldown,
  CooldownChange,
  CooldownDocument,
  CooldownFacts,
  ListedCooldown,
  ListPage,
  NewCooldown,
} from './model.ts';
import type { Occupancy } from './occupancy.ts';
import { assertInOrder } from './rules.ts';
import { cooldownOf, listedCooldownOf } from './wire.ts';

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

const withoutWiring = { wiring_info: 0, wiring_blocks: 0 } as const;

/** Maximum number of attempts to change a cool-down's dates while others change them. */
const CHANGE_ATTEMPTS = 20;

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
  const find = (projectId: ProjectId, cooldownId: string): Promise<CooldownFacts | null> =>
    cooldowns.findOne<CooldownFacts>({ _id: keyOf(projectId, cooldownId) }, { projection: withoutWiring });

  async function mustFind(projectId: ProjectId, cooldownId: string): Promise<CooldownFacts> {
    return known(await find(projectId, cooldownId));
  }

  async function mustFindWhole(projectId: ProjectId, cooldownId: string): Promise<CooldownDocument> {
    return known(await cooldowns.findOne({ _id: keyOf(projectId, cooldownId) }));
  }

  /** Undoes a creation that could not be completed. */
  async function undo(document: CooldownDocument): Promise<void> {
    const last = await cooldowns.findOneAndDelete({ _id: document._id });
    if (last) await occupancy.vacate(last);
    await cryostats.release(document.project_id, document.cryo_id, document.cooldown_id);
  }

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

  /** Stores a new cool-down; its id must be free. */
  async function insert(document: CooldownDocument): Promise<void> {
    const { project_id, cooldown_id, cryo_id } = document;
    if (await find(project_id, cooldown_id)) throw takenId();
    if (!(await cryostats.reserve(project_id, cryo_id, cooldown_id, document))) {
      throw new CalibronError('bad_request', 'There is no such cryostat in this project.');
    }
    try {
      await insertNew(cooldowns, document);
    } catch (thrown) {
      if (!isDuplicateKey(thrown)) throw thrown;
      // Another request stored a cool-down with this id at the same time: its period is kept, ours is released.
      const other = await find(project_id, cooldown_id);
      if (other?.cryo_id === cryo_id) await cryostats.reserve(project_id, cryo_id, cooldown_id, other);
      else await cryostats.release(project_id, cryo_id, cooldown_id);
      throw takenId();
    }
  }

  return {
    find,

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

    /**
     * Deletes a cool-down; one that has chips or measurements only when forced.
     * @throws not_found, conflict
     */
    async remove(projectId: ProjectId, cooldownId: string, force: boolean): Promise<void> {
      const found = await mustFind(projectId, cooldownId);
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

function known<Found>(found: Found | null): Found {
  if (!found) throw new CalibronError('not_found', 'There is no such cool-down in this project.');
  return found;
}

function takenId(): CalibronError {
  return new CalibronError('conflict', 'A cool-down with this id already exists in the project.');
}

function tooManyChanges(): CalibronError {
  return new CalibronError('conflict', 'Too many requests change this cool-down at the moment; try again.');
}
