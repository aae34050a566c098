import { CalibronError } from '../../kernel/errors.ts';
import {
  type ExecutionId,
  executionIdSchema,
  type ProjectId,
  type TaskId,
  taskIdSchema,
} from '../../kernel/ids.ts';
import { derivedId, newId } from '../../kernel/new-ids.ts';
import { calendarDay } from '../../kernel/time.ts';
import type { ProvenanceStore } from '../provenance/index.ts';
import type { Agent } from '../provenance/model.ts';
import { type CalibrationStateStore, OutdatedWrite } from './calibration-state.ts';
import type { TargetKind } from './model.ts';

/** A value that was not measured by Calibron. */
export interface SeedValue {
  value: number;
  value_type: string;
  unit: string;
  description: string;
  error?: number | null;
}

/** Values by target, then by parameter. */
export type GivenValues = ReadonlyMap<string, Readonly<Record<string, SeedValue>>>;

/** Origin of values that were given, not measured, as provenance names it. */
export interface ValueOrigin {
  task_name: string;
  execution_id: ExecutionId;
  /** Must return the same id for a target each time. */
  taskId(qid: string): TaskId;
  /** Who gave them; absent if no user did. */
  agent?: Agent;
  /** Called before values are written; an error stops the writing. */
  renew?(): Promise<void>;
}

interface Stores {
  state: CalibrationStateStore;
  provenance: ProvenanceStore;
  /** Epoch of the project's last holder, null before its first. */
  lastEpoch(projectId: ProjectId): Promise<number | null>;
  timezone: string;
}

/** Task name under which provenance shows imports. */
const SEED_TASK = 'SeedImport';
/** Number of targets whose values are written at once. */
const AT_ONCE = 16;

/**
 * Writes values to the calibration state, with daily history and provenance. Other values of the targets stay unchanged. The
 * caller must ensure that no run starts and the chip is not removed meanwhile.
 * @throws conflict when a target was removed, or written by a run, despite that
 */
export async function giveValues(
  stores: Stores,
  chip: { project_id: ProjectId; chip_id: string; kind: TargetKind },
  values: GivenValues,
  origin: ValueOrigin,
): Promise<void> {
  const { state, provenance, lastEpoch } = stores;
  const { kind, ...ofChip } = chip;
  const { task_name, execution_id } = origin;
  const at = new Date();
  // After all writes of the last holder and before those of the next one.
  const order = { epoch: (await lastEpoch(chip.project_id)) ?? 0, sequence: Number.MAX_SAFE_INTEGER };
  const day = {
    recorded_date: calendarDay(at, stores.timezone),
    cooldown_id: await state.currentCooldown(chip.project_id, chip.chip_id),
  };

  async function give(qid: string, given: Readonly<Record<string, SeedValue>>): Promise<void> {
    const task_id = origin.taskId(qid);
    const data = Object.fromEntries(
      Object.entries(given).map(([name, value]) => [
        name,
        {
          error: null,
          ...value,
          parameter_name: name,
          qid_role: '',
          required: false,
          calibrated_at: at.toISOString(),
          execution_id,
          task_id,
        },
      ]),
    );
    // Write the state last, so that a target that has its values also has their origin.
    await provenance.add({
      ...ofChip,
      execution_id,
      task_id,
      task_name,
      task_type: kind,
      qid,
      status: 'completed',
      started_at: at,
      ended_at: at,
      outputs: Object.entries(given).map(([parameter_name, { value, value_type, unit, error = null }]) => ({
        parameter_name,
        value,
        value_type,
        unit,
        error,
      })),
      used_entities: [],
      ...(origin.agent && { agent: origin.agent }),
    });
    const before = await state.read(chip.project_id, chip.chip_id, kind, qid);
    const status = before?.status ?? 'pending';
    try {
      const written = await state.write({ ...chip, qid }, order, { status, data }, day);
      await written.snapshot();
    } catch (thrown) {
      if (!(thrown instanceof OutdatedWrite)) throw thrown;
      throw new CalibronError('conflict', `${qid} was changed or removed meanwhile. Read it again.`);
    }
  }

  const targets = [...values];
  for (let first = 0; first < targets.length; first += AT_ONCE) {
    await origin.renew?.();
    await Promise.all(targets.slice(first, first + AT_ONCE).map(([qid, given]) => give(qid, given)));
  }
}

/**
 * Writes start values to the calibration state of qubits (task {@link SEED_TASK}), so that a chip can be calibrated without a
 * bring-up.
 * @returns the id of this import in provenance
 */
export async function seedQubits(
  stores: Stores,
  chip: { project_id: ProjectId; chip_id: string },
  values: GivenValues,
  given: Pick<ValueOrigin, 'agent' | 'renew'> = {},
): Promise<ExecutionId> {
  const seedId = newId();
  const execution_id = executionIdSchema.parse(`seed-${seedId.slice(0, 8)}`);
  const taskId = (qid: string) => taskIdSchema.parse(derivedId(seedId, qid));
  await giveValues(stores, { ...chip, kind: 'qubit' }, values, {
    ...given,
    task_name: SEED_TASK,
    execution_id,
    taskId,
  });
  return execution_id;
}
