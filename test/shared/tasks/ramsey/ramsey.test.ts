import { expect, test } from 'vitest';
import { createSimulator } from '../../../../activities/backends/simulator/simulator.ts';
import { rememberPoints } from '../../../../shared/science/device/spoilt-data.ts';
import { analyse } from '../../../../shared/tasks/analyses.ts';
import { numberOf } from '../../../../shared/tasks/common/parameters.ts';
import { at, measure } from '../../../support/measured.ts';
import { spread, testHonestErrors, trueFrequency } from '../honest-errors.ts';
import { describeMeasurement, failureWith, inputsOf } from '../measured-task.ts';

describeMeasurement('CheckRamsey', { figures: 3, title: /fringe -?[\d.]+ ± [\d.]+ MHz$/ });

testHonestErrors('CheckRamsey', {
  truths: {
    qubit_frequency: trueFrequency,
    t2_star: (qubit) => qubit.t2Star,
    ramsey_frequency: (qubit, { inputs }) =>
      1000 * ((numberOf(inputs.qubit_frequency) ?? 0) + 0.001 - qubit.f01),
  },
  // Drives on either side of the qubit.
  inputs: (start, index) => ({
    qubit_frequency: (start.qubit_frequency?.value ?? 0) + 0.6e-3 * spread(index),
  }),
});

test('Ramsey finds the sign of the detuning, and the same frequency from both sides', async () => {
  const { qubit_frequency: stored = 0, ...inputs } = inputsOf('side', '1');
  const found = await Promise.all(
    [-2e-3, 0, 2e-3].map(async (offset) => {
      const given = { ...inputs, qubit_frequency: stored + offset };
      return analyse(await measure('CheckRamsey', 'side', { qid: '1', inputs: given })).outputs;
    }),
  );
  const signs = found.map(({ ramsey_frequency }) => Math.sign(ramsey_frequency?.value ?? 0));
  expect(signs).toEqual([-1, 1, 1]);
  const { f01 } = createSimulator({ seed: 'side' }).truth('chip', '1', at);
  for (const { qubit_frequency } of found) {
    expect(Math.abs((qubit_frequency?.value ?? 0) - f01)).toBeLessThan(5 * (qubit_frequency?.error ?? 0));
  }
});

test('CheckRamsey fails far from the qubit', async () => {
  await failureWith('CheckRamsey', ({ qubit_frequency = 0 }) => ({ qubit_frequency: qubit_frequency + 0.2 }));
});

test('CheckRamsey takes into account that points retain a fraction of the previous one, and reports it', async () => {
  const [pulls, notes]: [number[], string[]] = [[], []];
  for (let index = 0; index < 10; index++) {
    const seed = `remembering-${index}`;
    const measured = await measure('CheckRamsey', seed, { qid: '1', inputs: inputsOf(seed, '1') });
    rememberPoints(measured.dataset);
    const analysis = analyse(measured);
    expect(analysis.refused).toBeUndefined();
    const { value = 0, error = 0 } = analysis.outputs.qubit_frequency ?? {};
    pulls.push((value - createSimulator({ seed }).truth('chip', '1', at).f01) / error);
    notes.push(...(analysis.notes ?? []));
  }
  expect(Math.abs(pulls.reduce((sum, pull) => sum + pull, 0) / pulls.length)).toBeLessThan(0.9);
  expect(notes.length).toBeGreaterThan(5);
  expect(notes[0]).toMatch(/^Each point retains \(?\d+/);
});
