import type { Dataset } from '../../../shared/science/datasets/model.ts';
import type { Random } from '../../../shared/science/device/random.ts';
import type { Analysis } from '../../../shared/tasks/common/analysis/model.ts';
import type { ResolvedParameters, TaskDefinition } from '../../../shared/tasks/model.ts';
import type { Inputs, Kind, Values } from './model.ts';

/** A time at which the device does not drift. */
export const AT = new Date('2026-03-01T00:00:00Z');
/** Qubits of a chip. */
export const QUBITS = 16;

/** A measurement with its settings, which its analysis may request to change, and the expected results. */
export interface Measurement {
  task: TaskDefinition;
  target: string;
  run: ResolvedParameters;
  inputs: Inputs;
  measure(run: ResolvedParameters): Dataset;
  /** True values of the outputs of the last pass. */
  truths(last: { run: ResolvedParameters; dataset: Dataset }, found: Analysis['outputs']): Values;
}

/** The same settings with a fraction of the shots. */
export function withShots(run: ResolvedParameters, part: number): ResolvedParameters {
  const { shots } = run;
  return typeof shots?.value === 'number'
    ? { ...run, shots: { ...shots, value: Math.max(1, shots.value * part) } }
    : run;
}

/** The settings that a kind changes. */
export function runOf({ run = {} }: Pick<Kind, 'run'>, random: Random): Record<string, unknown> {
  return typeof run === 'function' ? run(random) : run;
}
