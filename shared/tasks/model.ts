import { z } from 'zod';
import type { CatalogUnit } from '../science/conventions/unit-table.ts';

/** Name of the built-in backend, a simulated chip. */
export const SIMULATOR_BACKEND = 'simulator';

/** The kind of target that a task measures. */
export const taskType = z.enum(['global', 'qubit', 'coupling', 'system']);
export type TaskType = z.infer<typeof taskType>;

/** Type of a run parameter's value; a sweep is a triple. */
export const valueType = z.enum([
  'np.linspace',
  'np.logspace',
  'np.arange',
  'range',
  'int',
  'float',
  'str',
  'list',
  'bool',
]);
export type ValueType = z.infer<typeof valueType>;

export interface Bounds {
  minimum?: number;
  maximum?: number;
  /** The minimum itself is not allowed. */
  exclusiveMinimum?: boolean;
}

/** Role in a coupling task of a qubit or of the coupling itself: `control-target` names both ends in this order. */
export type CouplingRole = 'control' | 'target' | 'coupling';

/** A calibration value that a task reads before it measures. */
export interface TaskInput {
  unit: CatalogUnit;
  valueType: ValueType;
  description: string;
  /** A required input without a stored value and without `fallback` fails the task before hardware. */
  required: boolean;
  fallback?: number;
  bounds?: Bounds;
  /** Role of the qubit or coupling whose value a coupling task reads; absent for the task's own target. */
  from?: CouplingRole;
  /** Name of the stored value, if it differs from the input's name without the prefix `control_` or `target_`. */
  parameter?: string;
  /** Name of the input that limits this one's absolute value; beyond it the task fails before hardware. */
  limitedBy?: string;
}

/** An experiment setting; `value` is the catalog's default, null leaves it to the backend. */
export interface TaskRunParameter {
  value: number | string | boolean | null | readonly (number | string)[];
  valueType: ValueType;
  unit: CatalogUnit;
  description: string;
  /** Values outside are refused before any task runs. */
  bounds?: Bounds;
  /** Name of the input that limits the sweep's absolute values; points beyond it are not sent to a backend. */
  limitedBy?: string;
  /** Allowed texts of a parameter of type `str`. */
  choices?: readonly string[];
  /** Besides the choices, an order of multiplexer places is allowed, such as 3,0,2,1. */
  orPlaceOrder?: true;
}

/** A calibration value found by a task. Values outside `bounds` fail the task. */
export interface TaskOutput {
  unit: CatalogUnit;
  valueType: ValueType;
  description: string;
  bounds?: Bounds;
  /**
   * Subject of a coupling task's value. It only labels the record: a qubit is the control of several couplings, so every
   * output is stored with the coupling.
   */
  role?: CouplingRole;
  /** May be missing, if the data do not show it. */
  optional?: true;
  /** For a quantity that only drifts: a value far from the previous one is measured a second time. */
  wander?: Wander;
}

/**
 * Expected drift of a quantity without a history, one standard deviation, in its own unit or relative to the value:
 * `atOnce` is the variation between two measurements however close in time, `perDay` that within a day.
 */
export interface Wander {
  atOnce: number;
  perDay: number;
  of: 'unit' | 'value';
}

/** Groups in which clients list tasks. */
export type TaskCategory =
  | 'Box Setup'
  | 'CW Measurements'
  | '1Q Coarse'
  | '1Q Fine'
  | 'Measurement'
  | 'Benchmarking'
  | '2Q Calibration'
  | 'Lab';

/** `computed` tasks only evaluate stored values, without an instrument. */
export type TaskKind = 'measured' | 'computed';

/** One entry of the task catalog, with everything that validation, defaults, API and backends need. */
export interface TaskDefinition<
  Name extends string = string,
  Type extends TaskType = TaskType,
  Kind extends TaskKind = TaskKind,
> {
  name: Name;
  taskType: Type;
  category: TaskCategory;
  description: string;
  backends: readonly string[];
  inputs: Readonly<Record<string, TaskInput>>;
  runParameters: Readonly<Record<string, TaskRunParameter>>;
  outputs: Readonly<Record<string, TaskOutput>>;
  /** Figures in the order of storage. */
  figures: readonly TaskFigure[];
  /** The targets of one measurement: one target, the targets of one mux, or all targets of the stage. */
  scope: 'target' | 'mux' | 'batch';
  kind: Kind;
  /** Time limit of a measurement in seconds. */
  timeout: number;
  /** A fit with r2 at or below this fails the task; null for tasks without a fit. */
  r2Threshold: number | null;
  /** For a task that sets up nothing for later tasks: if its result is refused, its target continues with the following tasks. */
  goesOnWhenRefused?: true;
  /** For a task that is not in the catalog: the backend that declares, measures and analyses it, and which declaration this is. */
  declared?: { backend: string; hash: string };
}

/**
 * Declares a task. Its name, type and kind remain literal types, so that the compiler detects a task without an analysis
 * or a simulation. A name of type string is therefore refused.
 */
export function defineTask<
  const Name extends string,
  const Type extends TaskType,
  const Kind extends TaskKind,
>(
  task: TaskDefinition<Name, Type, Kind> & (string extends Name ? { name: never } : unknown),
): TaskDefinition<Name, Type, Kind> {
  return task;
}

/** The content of a figure, and its role among the task's figures. */
export interface TaskFigure {
  description: string;
  role?: 'raw' | 'marked';
}

/** The value that a task uses, with its origin. */
export const resolvedParameter = z.object({
  value: z.union([z.number(), z.string(), z.boolean(), z.null(), z.array(z.union([z.number(), z.string()]))]),
  value_type: z.string(),
  unit: z.string(),
});
export type ResolvedParameter = z.infer<typeof resolvedParameter>;
export type ResolvedParameters = Record<string, ResolvedParameter>;
