import type { Dataset } from '../../../shared/science/datasets/model.ts';
import { type Random, randomFrom } from '../../../shared/science/device/random.ts';
import { findTask } from '../../../shared/tasks/catalog.ts';
import type { MeasureRequest, TargetResult } from '../backend.ts';
import type { Lie } from './faults.ts';

/** 10 MB in one string, far above the limit of a result. */
const OVERSIZE_BYTES = 10 * 1024 * 1024;

/** A result of 10 MB that otherwise follows the contract. */
export function oversizeAnswer(request: MeasureRequest): unknown {
  return {
    targets: Object.fromEntries(request.targets.map((qid) => [qid, { outputs: {} }])),
    log: 'x'.repeat(OVERSIZE_BYTES),
  };
}

/** One of several answers that violate the contract in different ways; the seed selects it. */
export function garbageAnswer(request: MeasureRequest, seed: string): unknown {
  const kinds: readonly unknown[] = [
    { targets: 'no' },
    { targets: { [request.targets[0] ?? '0']: { dataset: { dims: { time: -1 }, variables: [] } } } },
    'garbage',
    null,
    [],
    { result: 42 },
  ];
  const choice = randomFrom(seed, 'garbage', request.task_id, request.attempt).uniform();
  return kinds[Math.floor(choice * kinds.length)];
}

/**
 * Wrong outputs of an instrument that does its own fits: those of a correct fit, times the factor of the lie. The
 * analyses are loaded only for this fault.
 */
export async function falseOutputs(
  request: MeasureRequest,
  qid: string,
  dataset: Dataset,
  lie: Lie,
): Promise<TargetResult> {
  const { analyse } = await import('../../../shared/tasks/analyses.ts');
  const task = findTask(request.task_name);
  const inputs = request.target_parameters?.[qid] ?? request.input_parameters;
  const honest = task && analyse({ task, qid, dataset, inputs, runParameters: request.run_parameters });
  const outputs = Object.entries(honest?.outputs ?? {}).map(([name, { value, error }]) => [
    name,
    { value: value * lie.factor, ...(lie.errors ? { error } : {}) },
  ]);
  return { outputs: Object.fromEntries(outputs), quality: { r2: lie.r2 } };
}

/** Replaces every measured value with noise around zero. */
export function drownInNoise(dataset: Dataset, random: Random): void {
  for (const variable of Object.values(dataset.variables)) {
    variable.values = variable.values.map(() => Number((0.01 * random.normal()).toPrecision(7)));
  }
}

/** Puts a NaN into the middle of every measured variable, as careless instrument code does. */
export function spoil(dataset: Dataset): void {
  for (const variable of Object.values(dataset.variables)) {
    variable.values[Math.floor(variable.values.length / 2)] = Number.NaN;
  }
}
