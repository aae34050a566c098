import type { Db } from '../../kernel/database.ts';
import { CalibronError } from '../../kernel/errors.ts';
import { keyOf, type ProjectId } from '../../kernel/ids.ts';
import type { CurrentCooldowns } from '../chips/index.ts';
import type { CooldownDocument } from './model.ts';

export type Occupancy = ReturnType<typeof createOccupancy>;

/**
 * Which chips are in which cool-down. A chip's own record names its one active cool-down and decides between concurrent changes;
 * the cool-down's list follows.
 */
export function createOccupancy(db: Db, chips: CurrentCooldowns) {
  const cooldowns = db.collection<CooldownDocument>('cooldowns');
  const find = (projectId: ProjectId, cooldownId: string) =>
    cooldowns.findOne({ _id: keyOf(projectId, cooldownId) }, { projection: { ended_at: 1 } });

  /** Releases a chip from a cool-down that is no longer active, because the process that ended it died before doing so. */
  async function letOut(projectId: ProjectId, chipId: string, cooldownId: string): Promise<boolean> {
    const holding = await find(projectId, cooldownId);
    if (holding && holding.ended_at === null) return false;
    await chips.leave(projectId, [chipId], cooldownId);
    return true;
  }

  async function enter(projectId: ProjectId, chipId: string, cooldownId: string): Promise<void> {
    const current = await chips.enter(projectId, chipId, cooldownId);
    if (current === cooldownId) return;
    if (
      (await letOut(projectId, chipId, current)) &&
      (await chips.enter(projectId, chipId, cooldownId)) === cooldownId
    )
      return;
    throw new CalibronError(
      'conflict',
      `The chip ${chipId} is in the cool-down ${current}; end that one or take the chip out of it first.`,
    );
  }

  async function list(filter: object, chipId: string): Promise<CooldownDocument | null> {
    return cooldowns.findOneAndUpdate(
      filter,
      { $addToSet: { chip_ids: chipId }, $set: { updated_at: new Date() } },
      { returnDocument: 'after' },
    );
  }

  return {
    /**
     * Puts a chip into a cool-down. While the cool-down is active, it becomes the chip's current one. Safe to repeat.
     * @returns null when there is no such cool-down
     * @throws not_found for an unknown chip, conflict while it is in another active cool-down
     */
    async assign(projectId: ProjectId, cooldownId: string, chipId: string): Promise<CooldownDocument | null> {
      const _id = keyOf(projectId, cooldownId);
      const before = await find(projectId, cooldownId);
      if (!before) return null;
      if (before.ended_at === null) {
        await enter(projectId, chipId, cooldownId);
        const active = await list({ _id, ended_at: null }, chipId);
        if (active) return active;
        // The cool-down was ended or deleted meanwhile.
        await chips.leave(projectId, [chipId], cooldownId);
      } else await chips.mustExist(projectId, chipId);
      return list({ _id }, chipId);
    },

    /**
     * Makes a reopened cool-down the current one of one of its chips; a chip that is removed meanwhile stays out. @throws
     * not_found for an unknown chip, conflict while it is in another active cool-down
     */
    async resume(projectId: ProjectId, cooldownId: string, chipId: string): Promise<void> {
      const ofChip = { _id: keyOf(projectId, cooldownId), ended_at: null, chip_ids: chipId };
      const isIn = async () => (await cooldowns.findOne(ofChip, { projection: { _id: 1 } })) !== null;
      if (!(await isIn())) return;
      await enter(projectId, chipId, cooldownId);
      if (!(await isIn())) await chips.leave(projectId, [chipId], cooldownId);
    },

    /** Removes a chip from a cool-down; does nothing if it is not in it. @returns null when there is no such cool-down */
    async unassign(
      projectId: ProjectId,
      cooldownId: string,
      chipId: string,
    ): Promise<CooldownDocument | null> {
      const after = await cooldowns.findOneAndUpdate(
        { _id: keyOf(projectId, cooldownId) },
        { $pull: { chip_ids: chipId }, $set: { updated_at: new Date() } },
        { returnDocument: 'after' },
      );
      if (after) await chips.leave(projectId, [chipId], cooldownId);
      return after;
    },

    /** Releases all chips from a cool-down that has ended. */
    vacate({ project_id, cooldown_id, chip_ids }: CooldownDocument): Promise<void> {
      return chips.leave(project_id, chip_ids, cooldown_id);
    },
  };
}
