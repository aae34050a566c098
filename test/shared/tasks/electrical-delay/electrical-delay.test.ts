import { expect, test } from 'vitest';
import { analyse } from '../../../../shared/tasks/analyses.ts';
import { measure } from '../../../support/measured.ts';
import { describeContinuousWave } from '../continuous-wave.ts';

describeContinuousWave('CheckElectricalDelay', {
  truths: { electrical_delay: (qubit) => qubit.lineDelayNs },
});

test('the error of the delay is larger if its sweep is nearer to the resonators', async () => {
  const errorAt = async (from: number) => {
    const run = { frequency_range: [from, from + 0.005, 0.0001] };
    return analyse(await measure('CheckElectricalDelay', 'nearer', { run })).outputs.electrical_delay?.error;
  };
  const [far, near] = [await errorAt(9.1), await errorAt(9.7)];
  expect(near).toBeGreaterThan(1.3 * (far ?? Number.NaN));
});

test('the tails of wider resonators are subtracted if their width is given', async () => {
  const delayWith = async (resonator_linewidth: number) => {
    const measured = await measure('CheckElectricalDelay', 'tails', { run: { resonator_linewidth } });
    return analyse(measured).outputs.electrical_delay ?? expect.fail('no delay');
  };
  const [none, usual, wide] = [await delayWith(0), await delayWith(0.005), await delayWith(0.02)];
  expect(none.value - usual.value).toBeGreaterThan(0.001);
  expect((none.value - wide.value) / (none.value - usual.value)).toBeCloseTo(4, 6);
  expect(wide.error).toBeGreaterThan(usual.error);
});
