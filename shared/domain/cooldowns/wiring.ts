import type { Db } from '../../kernel/database.ts';
import { CalibronError } from '../../kernel/errors.ts';
import { keyOf, type ProjectId } from '../../kernel/ids.ts';
import { insertNew } from '../../kernel/insert-new.ts';
import { newId } from '../../kernel/new-ids.ts';
import { upToBytes } from '../../kernel/up-to-bytes.ts';
import type { Actor } from '../accounts/model.ts';
import type { CooldownDocument, WiringEvent, WiringEventDocument } from './model.ts';
import { imageCount } from './rules.ts';
import { wiringEventOf } from './wire.ts';

/** Maximum total size in bytes of the texts of one page. */
const MAX_PAGE_BYTES = 4 * 1024 * 1024;
/** Batch size of reads from the store, so that few events are read beyond the end of a page. */
const EVENTS_PER_BATCH = 10;

/** Checkpoints of the wiring of cool-downs. */
export function createWiringStore(db: Db) {
  const events = db.collection<WiringEventDocument>('wiring_events');
  const cooldowns = db.collection<CooldownDocument>('cooldowns');

  async function cooldownOf(projectId: ProjectId, cooldownId: string): Promise<CooldownDocument> {
    const found = await cooldowns.findOne({ _id: keyOf(projectId, cooldownId) });
    if (!found) throw noSuchCooldown();
    return found;
  }

  async function assertKnown(projectId: ProjectId, cooldownId: string): Promise<void> {
    const filter = { _id: keyOf(projectId, cooldownId) };
    if (!(await cooldowns.findOne(filter, { projection: { _id: 1 } }))) throw noSuchCooldown();
  }

  return {
    /** Stores the current text of the wiring, and the number of its other parts. @throws not_found */
    async checkpoint(
      projectId: ProjectId,
      cooldownId: string,
      comment: string,
      actor: Actor,
    ): Promise<WiringEvent> {
      const { wiring_info, wiring_blocks } = await cooldownOf(projectId, cooldownId);
      const id = newId();
      const document: WiringEventDocument = {
        _id: keyOf(projectId, cooldownId, id),
        project_id: projectId,
        id,
        cooldown_id: cooldownId,
        actor_user_id: actor.user_id,
        actor: actor.username,
        action: 'checkpoint',
        comment,
        wiring_info_snapshot: wiring_info,
        block_count: wiring_blocks.length,
        image_count: imageCount(wiring_blocks),
        created_at: new Date(),
      };
      await insertNew(events, document);
      return wiringEventOf(document);
    },

    /**
     * The checkpoints of a cool-down, newest first. A page ends early if its texts would be too large for one answer.
     * @throws not_found
     */
    async events(
      projectId: ProjectId,
      cooldownId: string,
      page: { skip: number; limit: number },
    ): Promise<{ events: WiringEvent[] }> {
      await assertKnown(projectId, cooldownId);
      const cursor = events
        .find({ project_id: projectId, cooldown_id: cooldownId })
        .sort({ created_at: -1, id: 1 })
        .skip(page.skip)
        .limit(page.limit)
        .batchSize(EVENTS_PER_BATCH);
      const found = await upToBytes(cursor, MAX_PAGE_BYTES, ({ wiring_info_snapshot }) =>
        Buffer.byteLength(wiring_info_snapshot),
      );
      return { events: found.map(wiringEventOf) };
    },

    /** Deletes the checkpoints of a cool-down that is deleted. */
    async forget(projectId: ProjectId, cooldownId: string): Promise<void> {
      await events.deleteMany({ project_id: projectId, cooldown_id: cooldownId });
    },
  };
}

function noSuchCooldown(): CalibronError {
  return new CalibronError('not_found', 'There is no such cool-down in this project.');
}
