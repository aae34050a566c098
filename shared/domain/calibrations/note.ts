import { CalibronError } from '../../kernel/errors.ts';
import { NO_EXECUTION, type ProjectId, taskIdSchema } from '../../kernel/ids.ts';
import { isoTime } from '../../kernel/time.ts';
import type { Chips } from '../chips/index.ts';
import type { TargetKind, TargetValue } from '../chips/model.ts';
import type { CalibrationNote } from './model.ts';
import { labelOf } from './rules.ts';

/** Entry of a gate in the note: for each field, the name of the parameter that gives its value. */
type Entry = Readonly<Record<string, string>>;

const entries: Record<TargetKind, Readonly<Record<string, Entry>>> = {
  qubit: {
    rabi_params: {
      frequency: 'rabi_frequency',
      amplitude: 'rabi_amplitude',
      phase: 'rabi_phase',
      offset: 'rabi_offset',
      angle: 'rabi_angle',
      noise: 'rabi_noise',
      distance: 'rabi_distance',
      reference_phase: 'rabi_reference_phase',
    },
    hpi_params: { duration: 'hpi_length', amplitude: 'hpi_amplitude' },
    pi_params: { duration: 'pi_length', amplitude: 'pi_amplitude' },
    drag_hpi_params: { duration: 'drag_hpi_length', amplitude: 'drag_hpi_amplitude', beta: 'drag_hpi_beta' },
    drag_pi_params: { duration: 'drag_pi_length', amplitude: 'drag_pi_amplitude', beta: 'drag_pi_beta' },
  },
  coupling: {
    cr_params: {
      duration: 'zx90_gate_time',
      cr_amplitude: 'cr_amplitude',
      cr_phase: 'cr_phase',
      cancel_amplitude: 'cancel_amplitude',
      cancel_phase: 'cancel_phase',
      cancel_beta: 'cancel_beta',
      rotary_amplitude: 'rotary_amplitude',
      zx_rotation_rate: 'zx_rotation_rate',
    },
  },
};

/** `task_id` of a note that covers a whole chip. */
const MASTER = 'master';

/** What the lab's own programs need to play the calibrated gates, created from the calibration state on request. */
export function createCalibrationNotes(chips: Pick<Chips, 'list' | 'mustGet' | 'targetValues'>) {
  /** The requested chip; by default the most recently installed one. */
  async function chosenChip(projectId: ProjectId, chipId: string | undefined): Promise<string> {
    if (chipId !== undefined) return chipId;
    const { chips: all } = await chips.list(projectId);
    const newest = [...all].sort((a, b) => (a.installed_at < b.installed_at ? 1 : -1))[0];
    if (!newest) throw new CalibronError('not_found', 'There is no chip in this project.');
    return newest.chip_id;
  }

  return {
    chosenChip,

    /** Empty for a chip without a calibrated gate. @throws not_found for an unknown chip */
    async note(projectId: ProjectId, chipId?: string): Promise<CalibrationNote> {
      const { chip_id, size, username, installed_at } = await chips.mustGet(
        projectId,
        await chosenChip(projectId, chipId),
      );
      const note: CalibrationNote['note'] = {};
      let newest: TargetValue = { value: null };
      for (const kind of ['qubit', 'coupling'] as const) {
        const names = Object.values(entries[kind]).flatMap((entry) => Object.values(entry));
        for (const { qid, data } of await chips.targetValues(kind, projectId, chip_id, names)) {
          for (const [group, entry] of Object.entries(entries[kind])) {
            const found = Object.entries(entry).flatMap(([field, name]) => {
              const stored = data[name];
              if (stored?.value === undefined || stored.value === null) return [];
              if ((stored.calibrated_at ?? '') > (newest.calibrated_at ?? '')) newest = stored;
              return [[field, stored.value] as const];
            });
            if (found.length === 0) continue;
            note[group] = { ...note[group], [labelOf(qid, size)]: Object.fromEntries(found) };
          }
        }
      }
      const { execution_id = NO_EXECUTION, calibrated_at } = newest;
      const timestamp = calibrated_at ?? isoTime(installed_at);
      return { username, chip_id, execution_id, task_id: taskIdSchema.parse(MASTER), note, timestamp };
    },
  };
}
