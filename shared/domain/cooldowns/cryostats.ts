import { type Db, isDuplicateKey } from '../../kernel/database.ts';
import { CalibronError } from '../../kernel/errors.ts';
import { keyOf, type ProjectId } from '../../kernel/ids.ts';
import { insertNew } from '../../kernel/insert-new.ts';
import type { Actor } from '../accounts/model.ts';
import { createCryostatPeriods } from './cryostat-periods.ts';
import type {
  CooldownDocument,
  Cryostat,
  CryostatChange,
  CryostatDocument,
  ListPage,
  NewCryostat,
} from './model.ts';
import { assertInOrder } from './rules.ts';
import { cryostatOf } from './wire.ts';

export type CryostatStore = ReturnType<typeof createCryostatStore>;

/** Cryostats, and the periods in which cool-downs occupy them. */
export function createCryostatStore(db: Db) {
  const cryostats = db.collection<CryostatDocument>('cryostats');
  const cooldowns = db.collection<CooldownDocument>('cooldowns');
  const { taken, ...periods } = createCryostatPeriods(cryostats, cooldowns);

  async function mustFind(projectId: ProjectId, cryoId: string): Promise<CryostatDocument> {
    const found = await cryostats.findOne({ _id: keyOf(projectId, cryoId) });
    if (!found) throw unknownCryostat();
    return found;
  }

  return {
    ...periods,

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
  };
}

function unknownCryostat(): CalibronError {
  return new CalibronError('not_found', 'There is no such cryostat in this project.');
}
