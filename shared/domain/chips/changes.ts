import type { Collection } from 'mongodb';
import type { ProjectId } from '../../kernel/ids.ts';
import { entityTagOf, type Precondition, saveIfMet } from '../../kernel/preconditions.ts';
import type { Topologies } from '../topologies/index.ts';
import type { Chip, ChipChange, ChipDocument, TargetDocument, TargetKind } from './model.ts';
import { noSuchChip, noteIs } from './rules.ts';
import { insertTargets, topologyFor } from './targets-of-topology.ts';
import { chipOf } from './wire.ts';

/** Changes of chips by users. */
export function createChipChange(needs: {
  chips: Collection<ChipDocument>;
  targets: Record<TargetKind, Collection<TargetDocument>>;
  topologies: Pick<Topologies, 'find' | 'list'>;
  /** @throws not_found */
  mustGet(projectId: ProjectId, chipId: string): Promise<Readonly<ChipDocument>>;
  countTargets(
    projectId: ProjectId,
    chipId: string,
  ): Promise<Pick<ChipDocument, 'qubit_count' | 'coupling_count'>>;
}) {
  const { chips, targets, topologies, mustGet, countTargets } = needs;

  /**
   * Changes a chip. A topology, even the current one, adds missing qubits and couplings. None is ever removed, and the counts are
   * those of the existing ones.
   * @throws not_found; bad_request for an unknown topology or one of another size; precondition_failed when the chip has changed
   * since the caller read it
   */
  async function change(
    place: { projectId: ProjectId; chipId: string; username: string },
    wanted: ChipChange,
    precondition?: Precondition,
  ): Promise<Chip> {
    const { projectId, chipId, username } = place;
    const chip = await mustGet(projectId, chipId);
    const { topology_id, activity_status, note } = wanted;
    const now = new Date();
    const topology =
      topology_id === null ? null : await topologyFor(topologies, { size: chip.size, topology_id });
    const present = { _id: chip._id, removed_at: { $exists: false } };
    const set = (fields: Partial<ChipDocument>, expected?: Readonly<ChipDocument>) =>
      chips.findOneAndUpdate(
        { ...present, ...(expected && shownFieldsOf(expected)) },
        { $set: { ...fields, updated_at: now } },
        { returnDocument: 'after' },
      );
    let changed = await saveIfMet(precondition, {
      read: () => mustGet(projectId, chipId),
      tagOf: (current) => entityTagOf(chipOf(current)),
      write: (expected) =>
        set(
          {
            ...(topology && { topology_id: topology.id }),
            ...(activity_status === null ? {} : { activity_status }),
            ...(note === null ? {} : { note: { content: note, updated_by: username, updated_at: now } }),
          },
          expected,
        ),
    });
    if (changed && topology) {
      await insertTargets(targets, chip, topology);
      changed = await set(await countTargets(projectId, chipId));
    }
    if (!changed) {
      // The chip was deleted meanwhile. What was just added would belong to the next chip with this id.
      const ofChip = { project_id: projectId, chip_id: chipId, created_at: chip.created_at };
      await Promise.all([targets.coupling.deleteMany(ofChip), targets.qubit.deleteMany(ofChip)]);
      throw noSuchChip();
    }
    return chipOf(changed);
  }

  return change;
}

/** Filter: a chip whose fields have not changed since its callers read them. */
export function shownFieldsOf(chip: Readonly<ChipDocument>) {
  const { size, topology_id, activity_status, current_cooldown_id, qubit_count, coupling_count, note } = chip;
  return {
    size,
    topology_id,
    activity_status,
    current_cooldown_id,
    qubit_count,
    coupling_count,
    ...noteIs(note),
  };
}
