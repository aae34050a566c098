import { z } from 'zod';

/** Name of the backend that is built in: a simulated chip. */
export const SIMULATOR_BACKEND = 'simulator';

/** What a task acts on. */
export const taskType = z.enum(['global', 'qubit', 'coupling', 'system']);
export type TaskType = z.infer<typeof taskType>;

/** How a run parameter's value is to be read; a sweep is a triple. */
const valueType = z.enum([
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

/** Part that a qubit or a coupling plays in a coupling task: `control-target` names both ends in this order. */
export type CouplingRole = 'control' | 'target' | 'coupling';

/** A calibration value that a task reads before it measures. */
export interface TaskInput {
  unit: string;
  valueType: ValueType;
  description: string;
  /** A required input without a stored value and without `fallback` fails the task before hardware. */
  required: boolean;
  fallback?: number;
  bounds?: Bounds;
  /** Whose value a coupling task reads; absent for the task's own target. */
  from?: CouplingRole;
  /** Name of the value there, where it is not the input's own without the `control_` or `target_` of its role. */
  parameter?: string;
  /** Name of the input that its size may not exceed: beyond it the task fails before hardware. */
  limitedBy?: string;
}

/** An experiment setting; `value` is the catalog's default, null leaves it to the backend. */
export interface TaskRunParameter {
  value: number | string | boolean | null | readonly (number | string)[];
  valueType: ValueType;
  unit: string;
  description: string;
  /** Values outside are refused before anything runs. */
  bounds?: Bounds;
  /** Name of the input that sizes of the sweep may not exceed: no backend is asked for points beyond it. */
  limitedBy?: string;
  /** The texts that a parameter of type `str` may have. */
  choices?: readonly string[];
  /** Beside the choices also an order of the places of a multiplexer, such as 3,0,2,1. */
  orPlaceOrder?: true;
}

/** A calibration value that a task finds. Values outside `bounds` fail the task. */
export interface TaskOutput {
  unit: string;
  valueType: ValueType;
  description: string;
  bounds?: Bounds;
  /**
   * What the value of a coupling task is about. It labels the record only: a qubit is the control of several couplings,
   * so every output is kept with the coupling.
   */
  role?: CouplingRole;
  /** Found only where the data show it. */
  optional?: true;
  /** Of a quantity that stays as it is but for drift: a value far from the one before is measured a second time. */
  wander?: Wander;
}

/**
 * By how much a quantity wanders, one standard deviation, where nothing has been seen of it yet: in its own unit, or as
 * part of the value. `atOnce` from one measurement to the next, however soon that follows, and `perDay` within a day.
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
  | '2Q Calibration';

/** `computed` tasks only evaluate stored values: no instrument is asked. */
export type TaskKind = 'measured' | 'computed';

/** One entry of the task catalog: all that validation, defaults, API and backends need to know of a task. */
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
  /** Figures in the order in which they are stored. */
  figures: readonly TaskFigure[];
  /** What one measurement covers: one target, the targets of one mux, or all targets of the stage. */
  scope: 'target' | 'mux' | 'batch';
  kind: Kind;
  /** Seconds a measurement may take. */
  timeout: number;
  /** A fit with r2 at or below this fails the task; null for tasks that fit nothing. */
  r2Threshold: number | null;
  /**
   * Of a task that sets up nothing which later tasks stand on: when its result is refused, its target goes on with the
   * tasks that follow.
   */
  goesOnWhenRefused?: true;
}

/**
 * Declares a task. Its name, type and kind stay literal types: by them the compiler tells which task lacks its analysis
 * or its simulation, so a name that is any string is refused.
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

/** What a figure shows, and its role beside others of the task. */
export interface TaskFigure {
  description: string;
  role?: 'raw' | 'marked';
}

/** The value a task works with, and where it came from. */
export const resolvedParameter = z.object({
  value: z.union([z.number(), z.string(), z.boolean(), z.null(), z.array(z.union([z.number(), z.string()]))]),
  value_type: z.string(),
  unit: z.string(),
});
export type ResolvedParameter = z.infer<typeof resolvedParameter>;
export type ResolvedParameters = Record<string, ResolvedParameter>;
