import { defineArea, type Kernel } from '../../kernel/area.ts';
import type { ProjectId } from '../../kernel/ids.ts';
import type { Backends } from '../backends/index.ts';
import { type Chips, giveValues, seedQubits } from '../chips/index.ts';
import type { ProvenanceStore } from '../provenance/index.ts';
import type { Runs } from '../runs/index.ts';
import { createCalibrationNotes } from './note.ts';
import { createParameterEdits, editIndexes } from './parameter-edits.ts';
import { parametersOf } from './rules.ts';
import { createSeeds } from './seeds.ts';

export { editProblem, type FileValue, withFileValue } from './parameter-file-edit.ts';

export type Calibrations = ReturnType<typeof calibrations.create>;

/** Calibration state in users' hands: values that they edit or import, and the note that their programs read. */
export const calibrations = defineArea({
  name: 'calibrations',
  indexes: [editIndexes],
  create({
    db,
    settings,
    chips,
    provenance,
    runs,
    backends,
  }: Kernel & {
    chips: Chips;
    provenance: ProvenanceStore;
    runs: Pick<Runs, 'whileFree' | 'locks'>;
    backends: Pick<Backends, 'tasksOf'>;
  }) {
    const stores = {
      state: chips.state,
      provenance,
      lastEpoch: runs.locks.lastEpoch,
      timezone: settings.TIMEZONE,
    };
    const give = (
      chip: Parameters<typeof giveValues>[1],
      values: Parameters<typeof giveValues>[2],
      origin: Parameters<typeof giveValues>[3],
    ) => giveValues(stores, chip, values, origin);
    const { whileFree } = runs;
    /** The parameters that tasks of a project find or need. */
    const known = async (projectId: ProjectId) => parametersOf((await backends.tasksOf(projectId)).all);
    return {
      edits: createParameterEdits({
        db,
        whileFree,
        known,
        give,
        values: async (kind, projectId, chipId, qid) =>
          (await chips.readTarget(kind, projectId, chipId, qid)).data,
      }),
      seeds: createSeeds({
        chips,
        configurationRoot: settings.CONFIG_PATH,
        whileFree,
        known,
        seed: (chip, values, given) => seedQubits(stores, chip, values, given),
      }),
      ...createCalibrationNotes(chips),
    };
  },
});
