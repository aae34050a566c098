import type { Db } from '../../kernel/database.ts';
import { CalibronError } from '../../kernel/errors.ts';
import { keyOf, type ProjectId } from '../../kernel/ids.ts';
import type { ChipDocument } from './model.ts';

export type CurrentCooldowns = ReturnType<typeof createCurrentCooldowns>;

/** The active cool-down of each chip. Each change is a compare-and-set on the chip's own record. */
export function createCurrentCooldowns(db: Db) {
  const chips = db.collection<Pick<ChipDocument, '_id' | 'current_cooldown_id' | 'removed_at'>>('chips');
  const present = { removed_at: { $exists: false } };

  async function mustFind(projectId: ProjectId, chipId: string) {
    const found = await chips.findOne(
      { _id: keyOf(projectId, chipId), ...present },
      { projection: { current_cooldown_id: 1 } },
    );
    if (!found) throw new CalibronError('not_found', 'There is no such chip in this project.');
    return found;
  }

  return {
    /** @throws not_found */
    async mustExist(projectId: ProjectId, chipId: string): Promise<void> {
      await mustFind(projectId, chipId);
    },

    /** The given ids that no chip of the project has. */
    async unknownOf(projectId: ProjectId, chipIds: readonly string[]): Promise<string[]> {
      const keys = chipIds.map((chipId) => keyOf(projectId, chipId));
      const found = await chips
        .find({ _id: { $in: keys }, ...present }, { projection: { _id: 1 } })
        .toArray();
      const known = new Set(found.map(({ _id }) => _id));
      return chipIds.filter((chipId) => !known.has(keyOf(projectId, chipId)));
    },

    /** Puts a chip into a cool-down unless it is in another one. @returns the chip's cool-down. @throws not_found */
    async enter(projectId: ProjectId, chipId: string, cooldownId: string): Promise<string> {
      for (;;) {
        const entered = await chips.updateOne(
          { _id: keyOf(projectId, chipId), ...present, current_cooldown_id: { $in: [null, cooldownId] } },
          { $set: { current_cooldown_id: cooldownId } },
        );
        if (entered.matchedCount === 1) return cooldownId;
        const { current_cooldown_id } = await mustFind(projectId, chipId);
        // Null: the chip left its other cool-down between the two queries, so try again.
        if (current_cooldown_id !== null) return current_cooldown_id;
      }
    },

    /** Removes chips from a cool-down; chips in another one stay there. */
    async leave(projectId: ProjectId, chipIds: readonly string[], cooldownId: string): Promise<void> {
      if (chipIds.length === 0) return;
      await chips.updateMany(
        {
          _id: { $in: chipIds.map((chipId) => keyOf(projectId, chipId)) },
          current_cooldown_id: cooldownId,
        },
        { $set: { current_cooldown_id: null } },
      );
    },
  };
}
