import { z } from 'zod';

/** What a task acts on (facts-calibration 0.2). */
export const taskType = z.enum(['global', 'qubit', 'coupling', 'system']);
export type TaskType = z.infer<typeof taskType>;

/** How a run parameter's value is to be read; a sweep is a triple (facts-calibration 0.2). */
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

/** A calibration value that a task reads before it measures. */
export interface TaskInput {
  unit: string;
  valueType: ValueType;
  description: string;
  /** A required input without a stored value and without `fallback` fails the task before hardware. */
  required: boolean;
  fallback?: number;
  bounds?: Bounds;
}

/** An experiment setting; `value` is the catalog's default. */
export interface TaskRunParameter {
  value: number | string | boolean | readonly (number | string)[];
  valueType: ValueType;
  unit: string;
  description: string;
}

/** A calibration value that a task finds. Values outside `bounds` fail the task. */
export interface TaskOutput {
  unit: string;
  valueType: ValueType;
  description: string;
  bounds?: Bounds;
}

/** One entry of the task catalog: all that validation, defaults, API and backends need to know of a task. */
export interface TaskDefinition {
  name: string;
  taskType: TaskType;
  category: string;
  description: string;
  backends: readonly string[];
  inputs: Readonly<Record<string, TaskInput>>;
  runParameters: Readonly<Record<string, TaskRunParameter>>;
  outputs: Readonly<Record<string, TaskOutput>>;
  /** Seconds a measurement may take. */
  timeout: number;
  /** A fit with r2 at or below this fails the task. */
  r2Threshold: number;
}

/** The value a task works with, and where it came from. */
export const resolvedParameter = z.object({
  value: z.union([z.number(), z.string(), z.boolean(), z.array(z.union([z.number(), z.string()]))]),
  value_type: z.string(),
  unit: z.string(),
});
export type ResolvedParameter = z.infer<typeof resolvedParameter>;
export type ResolvedParameters = Record<string, ResolvedParameter>;
