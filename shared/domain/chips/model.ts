import { z } from 'zod';
import { type ExecutionId, type ProjectId, taskIdSchema } from '../../kernel/ids.ts';
import { integer, noteBody, timestamp } from '../../kernel/wire.ts';
import { taskType } from '../../tasks/model.ts';
import { type StoredParameter, type StoredParameters, storedParameter } from '../results/model.ts';
import { taskStatuses } from '../results/status-rules.ts';

const chipId = z
  .string()
  .min(1)
  .max(64)
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]*$/,
    'must be letters, digits, ., _ or -, starting with a letter or digit',
  );

/** Body of POST /chips. */
export const newChip = z.object({
  chip_id: chipId,
  size: integer().prefault(64),
  topology_id: z.string().nullable().default(null),
});
export type NewChip = z.infer<typeof newChip>;

/** What deleting a chip would affect. History and results are kept. */
export const deletionImpact = z.object({
  chip_id: z.string(),
  qubits: z.number().int(),
  couplings: z.number().int(),
  task_results: z.number().int(),
  qubit_history_snapshots: z.number().int(),
  coupling_history_snapshots: z.number().int(),
  cooldowns_referencing: z.number().int(),
  can_delete_safely: z.boolean(),
});
export type DeletionImpact = z.infer<typeof deletionImpact>;

const activityStatus = z.enum(['active', 'inactive']);
export type ActivityStatus = z.infer<typeof activityStatus>;

/** Body of PATCH /chips/{chip_id}; null or absent fields stay unchanged. */
export const chipChange = z.object({
  topology_id: z.string().nullable().default(null),
  activity_status: activityStatus.nullable().default(null),
  note: z.string().max(5000).nullable().default(null),
});
export type ChipChange = z.infer<typeof chipChange>;

/** A chip as the API shows it. */
export const chip = z
  .object({
    chip_id: z.string(),
    size: z.number().int(),
    topology_id: z.string(),
    qubit_count: z.number().int(),
    coupling_count: z.number().int(),
    installed_at: timestamp,
    activity_status: activityStatus,
    current_cooldown_id: z.string().nullable(),
    note: noteBody,
  })
  .meta({ id: 'Chip' });
export type Chip = z.infer<typeof chip>;

/** Days as YYYYMMDD. */
export const chipDates = z.object({ data: z.array(z.string()) });

export const chipList = z.object({ chips: z.array(chip), total: z.number().int() });
export type ChipList = z.infer<typeof chipList>;

export const targetStatus = z.enum(['pending', 'completed', 'failed']);

/** Kinds of calibrated targets. */
export const targetKinds = ['qubit', 'coupling'] as const;
export type TargetKind = (typeof targetKinds)[number];

const chipTarget = z.object({
  qid: z.string(),
  chip_id: z.string(),
  status: targetStatus,
  data: z.record(z.string(), storedParameter),
  note: noteBody,
  metric_notes: z.record(z.string(), noteBody),
});
/** A qubit or coupling as the API shows it. */
export type ChipTarget = z.infer<typeof chipTarget>;

export const qubit = chipTarget.meta({ id: 'Qubit' });
/** A directed coupling; its `qid` is `<control>-<target>`. */
export const coupling = chipTarget.meta({ id: 'Coupling' });

/** The newest result of a task on a qubit of a multiplexer; without a result, only the task's name is set. */
export const muxEntry = z.object({
  task_id: taskIdSchema.nullable(),
  name: z.string(),
  status: z.enum(taskStatuses),
  message: z.string().nullable(),
  input_parameters: z.record(z.string(), storedParameter).nullable(),
  output_parameters: z.record(z.string(), storedParameter).nullable(),
  output_parameter_names: z.array(z.string()).nullable(),
  note: z.record(z.string(), z.string()).nullable(),
  figure_path: z.array(z.string()).nullable(),
  json_figure_path: z.array(z.string()).nullable(),
  raw_data_path: z.array(z.string()).nullable(),
  start_at: timestamp.nullable(),
  end_at: timestamp.nullable(),
  elapsed_time: z.string().nullable(),
  task_type: taskType.nullable(),
  qid: z.string().nullable(),
  upstream_id: taskIdSchema.nullable(),
});
export type MuxEntry = z.infer<typeof muxEntry>;

/** Names of the fields of an entry that a list of multiplexers may be limited to. */
export const muxEntryField = muxEntry.omit({ qid: true, upstream_id: true }).keyof();
export type MuxEntryField = z.infer<typeof muxEntryField>;

/** A multiplexer: for each of its qubits the newest result of every task, by task name. */
export const mux = z.object({
  mux_id: z.number().int(),
  detail: z.record(z.string(), z.record(z.string(), muxEntry)),
});
export type Mux = z.infer<typeof mux>;
export const muxList = z.object({ muxes: z.record(z.string(), mux) });

const page = { total: z.number().int(), limit: z.number().int(), offset: z.number().int() };
export const qubitList = z.object({ qubits: z.array(qubit), ...page });
export type QubitList = z.infer<typeof qubitList>;
export const couplingList = z.object({ couplings: z.array(coupling), ...page });
export type CouplingList = z.infer<typeof couplingList>;

/** One parameter of a target in the calibration state; undefined if the target has no such value. */
export interface TargetParameter {
  qid: string;
  stored: (Pick<StoredParameter, 'value' | 'calibrated_at'> & { execution_id?: ExecutionId }) | undefined;
}

/** A parameter of the calibration state, reduced to what metrics need; older records lack fields. */
export type TargetValue = Pick<StoredParameter, 'value'> &
  Partial<Pick<StoredParameter, 'error' | 'unit' | 'task_id' | 'calibrated_at' | 'execution_id'>>;

export interface StoredNote {
  content: string;
  updated_by: string;
  updated_at: Date | null;
}

/** A chip as stored; `_id` is `<project_id>/<chip_id>`. */
export interface ChipDocument {
  _id: string;
  project_id: ProjectId;
  chip_id: string;
  username: string;
  size: number;
  topology_id: string;
  activity_status: ActivityStatus;
  current_cooldown_id: string | null;
  installed_at: Date;
  note: StoredNote;
  qubit_count: number;
  coupling_count: number;
  /** False until every qubit and coupling of the new chip is stored. */
  complete: boolean;
  /** Set when the chip is deleted. From then on it is invisible, while its parts are being removed. */
  removed_at?: Date;
  created_at: Date;
  updated_at: Date;
}

/** A qubit or coupling as stored; `_id` is `<project_id>/<chip_id>/<qid>`. */
export interface TargetDocument {
  _id: string;
  project_id: ProjectId;
  username: string;
  chip_id: string;
  qid: string;
  /** Sort key of the target's id: a qubit's number; for a coupling, its control and then its target. */
  qid_order: number;
  status: z.infer<typeof targetStatus>;
  data: StoredParameters;
  note: StoredNote;
  metric_notes: Record<string, StoredNote>;
  /** Epoch of the holder whose run wrote last, and the position of the write in that run. */
  epoch: number;
  sequence: number;
  created_at: Date;
  updated_at: Date;
}
