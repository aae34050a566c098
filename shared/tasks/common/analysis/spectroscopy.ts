import { type ComplexMap, readComplexMap } from '../../../science/datasets/complex-map.ts';
import type { Dataset } from '../../../science/datasets/model.ts';
import { type ComplexSweep, readComplexSweep } from '../../../science/datasets/rules.ts';
import { inOrder } from '../../../science/fitting/phases.ts';
import { sweepProblem } from '../../../science/fitting/sweep-problem.ts';

/** Minimum number of frequencies of a sweep, or powers of a map, for distinguishing a line from noise. */
export const MIN_FREQUENCIES = 40;
export const MIN_POWERS = 3;

/** `iq_re`, `iq_im` over ascending `frequency`, or a message if no line can be searched in them. */
export function readFrequencySweep(dataset: Dataset): ComplexSweep | string {
  const read = readComplexSweep(dataset, 'frequency', 'iq');
  if (typeof read === 'string') return read;
  const unusable = sweepProblem(read);
  if (unusable !== null) return unusable;
  if (read.x.length < MIN_FREQUENCIES) {
    return `${read.x.length} frequencies are too few; it takes ${MIN_FREQUENCIES}`;
  }
  return inOrder(read);
}

/** `iq_re`, `iq_im` over `power` and `frequency`, or a message if no line can be searched in them. */
export function readPowerMap(dataset: Dataset): ComplexMap | string {
  const map = readComplexMap(dataset, 'power', 'frequency', 'iq');
  if (typeof map === 'string') return map;
  if (map.y.length < MIN_POWERS || map.x.length < MIN_FREQUENCIES) {
    return `${map.y.length} powers and ${map.x.length} frequencies are too few; it takes ${MIN_POWERS} and ${MIN_FREQUENCIES}`;
  }
  return map;
}
