import type { Db } from '../../kernel/database.ts';
import { CalibronError } from '../../kernel/errors.ts';
import { keyOf } from '../../kernel/ids.ts';
import type { ChipDocument } from './model.ts';

export type CurrentCooldowns = ReturnType<typeof createCurrentCooldowns>;

/** The one active cool-down that a chip is in. Each change is a compare-and-set on the chip's own record. */
export function createCurrentCooldowns(db: Db) {
  const chips = db.collection<Pick<ChipDocument, '_id' | 'current_cooldown_id' | 'removed_at'>>('chips');
  const present = { removed_at: { $exists: false } };

  async function mustFind(projectId: string, chipId: string) {
    const found = await chips.findOne(
      { _id: keyOf(projectId, chipId), ...present },
      { projection: { current_cooldown_id: 1 } },
    );
    if (!found) throw new CalibronError('not_found', 'There is no such chip in this project.');
    return found;
  }

  return {
    /** @throws not_found */
    async mustExist(projectId: string, chipId: string): Promise<void> {
      await mustFind(projectId, chipId);
    },

    /** Those of the ids that no chip of the project has. */
    async unknownOf(projectId: string, chipIds: readonly string[]): Promise<string[]> {
      const keys = chipIds.map((chipId) => keyOf(projectId, chipId));
      const found = await chips
        .find({ _id: { $in: keys }, ...present }, { projection: { _id: 1 } })
        .toArray();
      const known = new Set(found.map(({ _id }) => _id));
      return chipIds.filter((chipId) => !known.has(keyOf(projectId, chipId)));
    },

    /** Puts a chip into a cool-down unless it is in another. @returns the one that it is in. @throws not_found */
    async enter(projectId: string, chipId: string, cooldownId: string): Promise<string> {
      for (;;) {
        const entered = await chips.updateOne(
          { _id: keyOf(projectId, chipId), ...present, current_cooldown_id: { $in: [null, cooldownId] } },
          { $set: { current_cooldown_id: cooldownId } },
        );
        if (entered.matchedCount === 1) return cooldownId;
        const { current_cooldown_id } = await mustFind(projectId, chipId);
        // Null: it has left the other one between the two questions.
        if (current_cooldown_id !== null) return current_cooldown_id;
      }
    },

    /** Takes chips out of a cool-down; those that are in another stay there. */
    async leave(projectId: string, chipIds: readonly string[], cooldownId: string): Promise<void> {
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
