import { expect, test } from 'vitest';
import { analyse } from '../../../shared/tasks/analyses.ts';
import { gate } from '../../../shared/tasks/gates.ts';
import { coverageSeeds, expectHonestErrors } from '../../support/coverage-rules.ts';
import { calibratedPair, measurePair, pairs } from '../../support/pairs.ts';
import { trueOutputs } from './pair-truth.ts';

const SEEDS = coverageSeeds(60);

const tasks = [
  'CheckStaticZZ',
  'CheckCrossResonance',
  'CreateZX90',
  'CheckBellStateTomography',
  'ZX90InterleavedRandomizedBenchmarking',
];

test('the standard errors of the values of pairs are honest over fixed seeds at default noise', async () => {
  const deviations = new Map<string, number[]>();
  for (let index = 0; index < SEEDS; index++) {
    const seed = `pair-coverage-${index}`;
    const [control, target] = pairs[index % pairs.length] ?? expect.fail('no pair');
    const known = calibratedPair(seed, control, target);
    for (const name of tasks) {
      const measured = await measurePair(name, { seed, qid: `${control}-${target}` }, known);
      const analysis = analyse(measured);
      expect(gate(measured.task, analysis)).toBeNull();
      for (const [output, truth] of Object.entries(trueOutputs(measured, seed, analysis.outputs))) {
        const { value, error } = analysis.outputs[output] ?? expect.fail(`no ${output}`);
        const off = output.endsWith('_phase')
          ? Math.atan2(Math.sin(value - truth), Math.cos(value - truth))
          : value - truth;
        const key = `${name} ${output}`;
        deviations.set(key, [...(deviations.get(key) ?? []), off / error]);
      }
      Object.assign(known.coupling, analysis.outputs);
    }
  }
  expect([...deviations.keys()]).toEqual([
    'CheckStaticZZ static_zz_interaction',
    'CheckCrossResonance cr_phase',
    'CheckCrossResonance cancel_amplitude',
    'CheckCrossResonance cancel_phase',
    'CheckCrossResonance zx_rotation_rate',
    'CreateZX90 cr_amplitude',
    'CheckBellStateTomography bell_state_fidelity',
    'ZX90InterleavedRandomizedBenchmarking zx90_gate_fidelity',
  ]);
  for (const values of deviations.values()) expectHonestErrors(values);
});
