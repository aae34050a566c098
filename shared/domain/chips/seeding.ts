import { derivedId, newId } from '../../kernel/ids.ts';
import { calendarDay } from '../../kernel/time.ts';
import type { ProvenanceStore } from '../provenance/index.ts';
import type { CalibrationStateStore } from './calibration-state.ts';

/** A value that did not come from a measurement of ours. */
export interface SeedValue {
  value: number;
  value_type: string;
  unit: string;
  description: string;
}

/** Name under which provenance shows values that were given, not measured. */
const SEED_TASK = 'Seed';
/** Targets whose values are written at once. */
const AT_ONCE = 16;

/**
 * Writes start values into the calibration state of qubits, with daily history and provenance (task `Seed`),
 * so that a chip can be calibrated without a bring-up.
 * @param values start values by qubit.
 * @returns the id under which provenance knows this import.
 */
export async function seedQubits(
  stores: {
    state: CalibrationStateStore;
    provenance: ProvenanceStore;
    /** Epoch of the project's last holder, null before its first. */
    lastEpoch(projectId: string): Promise<number | null>;
    timezone: string;
  },
  chip: { project_id: string; chip_id: string },
  values: ReadonlyMap<string, Readonly<Record<string, SeedValue>>>,
): Promise<string> {
  const { state, provenance, lastEpoch } = stores;
  const at = new Date();
  const seedId = newId();
  const execution_id = `seed-${seedId.slice(0, 8)}`;
  // After everything that the last holder wrote, before everything that the next one will.
  const order = { epoch: (await lastEpoch(chip.project_id)) ?? 0, sequence: Number.MAX_SAFE_INTEGER };
  const day = {
    recorded_date: calendarDay(at, stores.timezone),
    cooldown_id: await state.currentCooldown(chip.project_id, chip.chip_id),
  };

  async function seed(qid: string, given: Readonly<Record<string, SeedValue>>): Promise<void> {
    const task_id = derivedId(seedId, qid);
    const data = Object.fromEntries(
      Object.entries(given).map(([name, value]) => [
        name,
        {
          ...value,
          parameter_name: name,
          qid_role: '',
          required: false,
          error: null,
          calibrated_at: at.toISOString(),
          execution_id,
          task_id,
        },
      ]),
    );
    // State last: a qubit that has its values has their origin too.
    await provenance.add({
      ...chip,
      execution_id,
      task_id,
      task_name: SEED_TASK,
      task_type: 'qubit',
      qid,
      status: 'completed',
      started_at: at,
      ended_at: at,
      outputs: Object.entries(given).map(([parameter_name, { value, value_type, unit }]) => ({
        parameter_name,
        value,
        value_type,
        unit,
        error: null,
      })),
      used_entities: [],
    });
    const written = await state.write(
      { ...chip, kind: 'qubit', qid },
      order,
      { status: 'pending', data },
      day,
    );
    await written.snapshot();
  }

  const targets = [...values];
  for (let first = 0; first < targets.length; first += AT_ONCE) {
    await Promise.all(targets.slice(first, first + AT_ONCE).map(([qid, given]) => seed(qid, given)));
  }
  return execution_id;
}
