import type { Collection } from 'mongodb';
import type { ProjectId } from '../../kernel/ids.ts';
import type { ChipDocument, TargetDocument, TargetKind, TargetParameter, TargetValue } from './model.ts';

/** Reads of calibration values of all qubits or couplings of a chip. */
export function createTargetValues({
  targets,
  mustGet,
}: {
  targets: Record<TargetKind, Collection<TargetDocument>>;
  /** A chip of the project. @throws not_found */
  mustGet(projectId: ProjectId, chipId: string): Promise<Readonly<ChipDocument>>;
}) {
  return {
    /**
     * All qubits or couplings of a chip by number, each with one parameter of its calibration state.
     * @throws not_found when there is no such chip
     */
    async targetParameters(
      kind: TargetKind,
      projectId: ProjectId,
      chipId: string,
      parameter: string,
    ): Promise<TargetParameter[]> {
      await mustGet(projectId, chipId);
      const found = await targets[kind]
        .find({ project_id: projectId, chip_id: chipId })
        .sort({ qid_order: 1 })
        .project<{ qid: string; data?: Record<string, TargetParameter['stored']> }>({
          _id: 0,
          qid: 1,
          [`data.${parameter}.value`]: 1,
          [`data.${parameter}.calibrated_at`]: 1,
          [`data.${parameter}.execution_id`]: 1,
        })
        .toArray();
      return found.map(({ qid, data }) => ({ qid, stored: data?.[parameter] }));
    },

    /** Ids of the qubits or couplings of a chip whose stored value of a parameter is above a threshold, by number. */
    async targetsAbove(
      kind: TargetKind,
      projectId: ProjectId,
      chipId: string,
      { parameter, threshold }: { parameter: string; threshold: number },
    ): Promise<string[]> {
      const found = await targets[kind]
        .find({ project_id: projectId, chip_id: chipId })
        .sort({ qid_order: 1 })
        .project<{ qid: string; data?: Record<string, Pick<TargetValue, 'value'>> }>({
          _id: 0,
          qid: 1,
          [`data.${parameter}.value`]: 1,
        })
        .toArray();
      const isAbove = (value: unknown) => typeof value === 'number' && value > threshold;
      return found.filter(({ data }) => isAbove(data?.[parameter]?.value)).map(({ qid }) => qid);
    },

    /** All qubits or couplings of a chip by number, with some parameters of their calibration state. */
    async targetValues(
      kind: TargetKind,
      projectId: ProjectId,
      chipId: string,
      parameters: readonly string[],
    ): Promise<{ qid: string; data: Record<string, TargetValue> }[]> {
      const fields = ['value', 'error', 'unit', 'task_id', 'calibrated_at', 'execution_id'];
      const found = await targets[kind]
        .find({ project_id: projectId, chip_id: chipId })
        .sort({ qid_order: 1 })
        .project<{ qid: string; data?: Record<string, TargetValue> }>({
          _id: 0,
          qid: 1,
          ...Object.fromEntries(
            parameters.flatMap((name) => fields.map((field) => [`data.${name}.${field}`, 1] as const)),
          ),
        })
        .toArray();
      return found.map(({ qid, data = {} }) => ({ qid, data }));
    },
  };
}
