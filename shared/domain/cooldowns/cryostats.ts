import type { Collection } from 'mongodb';
import { type Db, isDuplicateKey } from '../../kernel/database.ts';
import { CalibronError } from '../../kernel/errors.ts';
import { keyOf, type ProjectId } from '../../kernel/ids.ts';
import { insertNew } from '../../kernel/insert-new.ts';
import type { Actor } from '../accounts/model.ts';
import type {
  CooldownDocument,
  Cryostat,
  CryostatChange,
  CryostatDocument,
  ListPage,
  NewCryostat,
  Period,
} from './model.ts';
import { assertInOrder, overlaps } from './rules.ts';
import { cryostatOf } from './wire.ts';

/** Milliseconds after which a reserved period whose cool-down was never stored counts as abandoned. */
const RESERVATION_TIMEOUT = 10_000;
/** Maximum number of attempts to change a cryostat's periods while others change them. */
const RESERVATION_ATTEMPTS = 50;

export type CryostatStore = ReturnType<typeof createCryostatStore>;

/** Cryostats, and the periods in which cool-downs occupy them. */
export function createCryostatStore(db: Db) {
  const cryostats = db.collection<CryostatDocument>('cryostats');
  const cooldowns = db.collection<CooldownDocument>('cooldowns');

  async function mustFind(projectId: ProjectId, cryoId: string): Promise<CryostatDocument> {
    const found = await cryostats.findOne({ _id: keyOf(projectId, cryoId) });
    if (!found) throw unknownCryostat();
    return found;
  }

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
    /** All cryostats of a project, by id. */
    async list(projectId: ProjectId, { skip, limit }: ListPage): Promise<{ cryostats: Cryostat[] }> {
      const found = await cryostats
        .find({ project_id: projectId })
        .sort({ cryo_id: 1 })
        .skip(skip)
        .limit(limit)
        .toArray();
      return { cryostats: found.map(cryostatOf) };
    },

    /** One cryostat. @throws not_found */
    async read(projectId: ProjectId, cryoId: string): Promise<Cryostat> {
      return cryostatOf(await mustFind(projectId, cryoId));
    },

    /** @throws conflict when the id is taken */
    async create(projectId: ProjectId, wanted: NewCryostat): Promise<Cryostat> {
      const now = new Date();
      const document: CryostatDocument = {
        _id: keyOf(projectId, wanted.cryo_id),
        project_id: projectId,
        cryo_id: wanted.cryo_id,
        name: wanted.name ?? '',
        manufacturer: wanted.manufacturer ?? '',
        model: wanted.model ?? '',
        location: wanted.location ?? '',
        status: wanted.status ?? 'active',
        commissioned_at: wanted.commissioned_at ?? null,
        decommissioned_at: null,
        note: { content: '', updated_by: '', updated_at: null },
        periods: [],
        revision: 0,
        created_at: now,
        updated_at: now,
      };
      try {
        await insertNew(cryostats, document);
      } catch (thrown) {
        if (!isDuplicateKey(thrown)) throw thrown;
        throw new CalibronError('conflict', 'A cryostat with this id already exists in the project.');
      }
      return cryostatOf(document);
    },

    /** Changes the given fields. @throws not_found, invalid_input for dates out of order */
    async change(
      projectId: ProjectId,
      cryoId: string,
      { note, ...change }: CryostatChange,
      actor: Actor,
    ): Promise<Cryostat> {
      const before = await mustFind(projectId, cryoId);
      assertInOrder(
        { name: 'commissioned_at', at: change.commissioned_at ?? before.commissioned_at },
        { name: 'decommissioned_at', at: change.decommissioned_at ?? before.decommissioned_at },
      );
      const at = new Date();
      const named = Object.fromEntries(
        Object.entries(change).filter(([, value]) => value !== null && value !== undefined),
      );
      const after = await cryostats.findOneAndUpdate(
        { _id: before._id },
        {
          $set: {
            ...named,
            ...(typeof note === 'string' && {
              note: { content: note, updated_by: actor.username, updated_at: at },
            }),
            updated_at: at,
          },
        },
        { returnDocument: 'after' },
      );
      if (!after) throw unknownCryostat();
      return cryostatOf(after);
    },

    /** Deletes a cryostat; if it has had cool-downs, only when forced. @throws not_found, conflict */
    async remove(projectId: ProjectId, cryoId: string, force: boolean): Promise<void> {
      const found = await mustFind(projectId, cryoId);
      const count = new Set((await taken(found, found.periods)).map(({ cooldown_id }) => cooldown_id)).size;
      if (count > 0 && !force) {
        throw new CalibronError(
          'conflict',
          `This cryostat has ${count} ${count === 1 ? 'cool-down' : 'cool-downs'}; delete them first, or ask with force=true.`,
        );
      }
      const removed = await cryostats.deleteOne(
        force ? { _id: found._id } : { _id: found._id, revision: found.revision },
      );
      if (removed.deletedCount === 0) {
        throw new CalibronError(
          'conflict',
          'The cryostat was changed in the meantime; read it and try again.',
        );
      }
    },

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

function unknownCryostat(): CalibronError {
  return new CalibronError('not_found', 'There is no such cryostat in this project.');
}
