import { expect, test } from 'vitest';
import type { Dataset } from '../../../shared/science/datasets/model.ts';
import { analyse } from '../../../shared/tasks/analyses.ts';
import { gate } from '../../../shared/tasks/gates.ts';
import { efInputs } from '../../support/drag-inputs.ts';
import { measure } from '../../support/measured.ts';

/**
 * Tasks with averaged signals of two states or single shots. A readout with matched weights returns one number for
 * each.
 */
const tasks = [
  'CheckQubit',
  'CheckRabi',
  'CreateHPIPulse',
  'CheckHPIPulse',
  'CreatePIPulse',
  'CheckT1',
  'CheckT2Echo',
  'CheckRamsey',
  'CheckT1Average',
  'CreateDRAGHPIPulse',
  'CheckDRAGHPIPulse',
  'CreateDRAGPIPulse',
  'CheckDRAGPIPulse',
  'CheckFineFrequency',
  'CheckFineAmplitude',
  'CheckAllXY',
  'CheckThermalPopulation',
  'ReadoutClassification',
  'CheckReadoutQND',
  'CheckActiveReset',
  'CheckStability',
  'RandomizedBenchmarking',
];

/** Outputs that describe the position of a signal in the plane. */
const OF_THE_PLANE = ['rabi_noise', 'rabi_angle', 'rabi_distance', 'rabi_reference_phase', 'rabi_offset'];

/** Projects all signals onto the line with their largest variance, in one quadrature; the other one is 0. */
function onOneAxis(dataset: Dataset, quadrature: 're' | 'im'): Dataset {
  const stems = Object.keys(dataset.variables).flatMap((name) => /^(.+)_re$/.exec(name)?.[1] ?? []);
  const points = stems.flatMap((stem) => {
    const [re, im] = [dataset.variables[`${stem}_re`], dataset.variables[`${stem}_im`]];
    return (re?.values ?? []).flatMap((x, index) => {
      const y = im?.values[index];
      return typeof x === 'number' && typeof y === 'number' ? [{ x, y }] : [];
    });
  });
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [mx, my] = [mean(points.map(({ x }) => x)), mean(points.map(({ y }) => y))];
  const sum = (of: (x: number, y: number) => number) => mean(points.map(({ x, y }) => of(x - mx, y - my)));
  const angle =
    Math.atan2(
      2 * sum((x, y) => x * y),
      sum((x, y) => x * x - y * y),
    ) / 2;
  const variables = { ...dataset.variables };
  for (const stem of stems) {
    const [re, im] = [variables[`${stem}_re`], variables[`${stem}_im`]];
    if (!re || !im) continue;
    const along = re.values.map((x, index) => {
      const y = im.values[index];
      return typeof x === 'number' && typeof y === 'number'
        ? x * Math.cos(angle) + y * Math.sin(angle)
        : null;
    });
    const zero = along.map((value) => (value === null ? null : 0));
    variables[`${stem}_re`] = { ...re, values: quadrature === 're' ? along : zero };
    variables[`${stem}_im`] = { ...im, values: quadrature === 'im' ? along : zero };
  }
  return { ...dataset, variables };
}

test.each(tasks)('%s has the same result for a signal on either axis', async (name) => {
  const measured = await measure(name, 'a', { inputs: efInputs('a') });
  const whole = analyse(measured);
  expect(gate(measured.task, whole)).toBeNull();
  for (const quadrature of ['re', 'im'] as const) {
    const found = analyse({ ...measured, dataset: onOneAxis(measured.dataset, quadrature) });
    expect(gate(measured.task, found)?.message, quadrature).toBeUndefined();
    for (const [output, { value, error }] of Object.entries(whole.outputs)) {
      // Distances from the axis are not measured, and directions in the plane are those of the axis.
      if (OF_THE_PLANE.includes(output)) continue;
      const other = found.outputs[output] ?? expect.fail(`${output} is missing on ${quadrature}`);
      expect(Math.abs(other.value - value), `${output} on ${quadrature}`).toBeLessThanOrEqual(
        2 * Math.max(error, other.error),
      );
    }
  }
});
