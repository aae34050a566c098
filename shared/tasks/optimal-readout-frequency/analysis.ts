import { type ComplexMap, readComplexMap } from '../../science/datasets/complex-map.ts';
import type { Analysis, AnalysisInput } from '../common/analysis/model.ts';
import { analyseContrasts, type Contrasts } from '../common/analysis/readout-contrast.ts';
import { withoutFigures } from '../common/analysis/results.ts';

/**
 * Finds the frequency with the largest distance of both prepared states, from averaged signals `iq_re`, `iq_im` over
 * (`state`, `frequency`).
 */
export function analyseOptimalReadoutFrequency(input: AnalysisInput): Analysis {
  const map = readComplexMap(input.dataset, 'state', 'frequency', 'iq');
  if (typeof map === 'string') return withoutFigures(map);
  const contrasts = stateDistances(map);
  return typeof contrasts === 'string' ? withoutFigures(contrasts) : analyseContrasts(input, contrasts);
}

function stateDistances({ x, y, re, im }: ComplexMap): Contrasts | string {
  const [ground, excited] = [y.indexOf(0), y.indexOf(1)];
  if (ground < 0 || excited < 0) return 'the dataset lacks the signals of the states 0 and 1';
  const distances = x.map((_, index) => ({
    re: (re[excited]?.[index] ?? Number.NaN) - (re[ground]?.[index] ?? Number.NaN),
    im: (im[excited]?.[index] ?? Number.NaN) - (im[ground]?.[index] ?? Number.NaN),
  }));
  if (distances.some((each) => !Number.isFinite(each.re + each.im)))
    return 'there are points without a value';
  // The second differences of a smooth curve are its noise multiplied by √6.
  const seconds = distances.slice(1, -1).flatMap((middle, index) => {
    const [before, after] = [distances[index], distances[index + 2]];
    if (before === undefined || after === undefined) return [];
    return [before.re - 2 * middle.re + after.re, before.im - 2 * middle.im + after.im];
  });
  const sorted = seconds.map(Math.abs).sort((a, b) => a - b);
  // The median is used so that a sharp peak does not count as noise. For a standard normal distribution it is 0.6745.
  const noise = (sorted[Math.floor(sorted.length / 2)] ?? 0) / 0.6745 / Math.sqrt(6);
  return {
    frequencies: x,
    values: distances.map((each) => Math.hypot(each.re, each.im)),
    noise: { amplifier: noise || Number.MIN_VALUE, projection: 0 },
    label: 'Distance of the states (a.u.)',
  };
}
