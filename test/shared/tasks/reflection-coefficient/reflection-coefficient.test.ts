import { expect, test } from 'vitest';
import { analyse } from '../../../../shared/tasks/analyses.ts';
import { measure } from '../../../support/measured.ts';
import { describeContinuousWave } from '../continuous-wave.ts';

describeContinuousWave('CheckReflectionCoefficient', {
  truths: {
    resonator_frequency: (qubit) => qubit.resonatorGround,
    kappa_external: (qubit) => 1000 * qubit.kappaExternal,
    kappa_internal: (qubit) => 1000 * qubit.kappaInternal,
  },
});

test('a resonator that reaches beyond the sweep is measured again with a wider one', async () => {
  const run = { frequency_width: 0.003, frequency_step: 0.0001 };
  const { outputs, again } = analyse(await measure('CheckReflectionCoefficient', 'wider', { run }));
  expect(outputs).toEqual({});
  expect(again).toMatchObject({
    run: {
      frequency_width: { value: expect.closeTo(0.009, 6) },
      frequency_step: { value: expect.closeTo(0.0003, 4) },
    },
    reason: 'the resonator reaches beyond the sweep of 3.0 MHz',
  });
});

test('the phase and its fit are unwrapped through the resonance, where they pass half a turn', async () => {
  const { figures } = analyse(await measure('CheckReflectionCoefficient', 'phase'));
  const [overFrequency] = figures;
  const phases = (overFrequency?.data ?? []).filter(({ yaxis }) => yaxis === 'y2');
  const stepsOf = (part: string) => {
    const values = (phases.find(({ name }) => name?.startsWith(part))?.y ?? []).map(Number);
    expect(Math.max(...values) - Math.min(...values)).toBeGreaterThan(5);
    return values.slice(1).map((value, index) => Math.abs(value - (values[index] ?? 0)));
  };
  expect(Math.max(...stepsOf('fit'))).toBeLessThan(0.3);
  expect(Math.max(...stepsOf('data'))).toBeLessThan(3);
});

test('CheckReflectionCoefficient has the same result for the opposite sign of the phase', async () => {
  for (const seed of ['a', 'b', 'c']) {
    const measured = await measure('CheckReflectionCoefficient', seed);
    const { iq_re, iq_im } = measured.dataset.variables;
    if (!iq_re || !iq_im) expect.fail('no signal');
    const mirrored = { ...iq_im, values: iq_im.values.map((value) => (value === null ? null : -value)) };
    const dataset = { ...measured.dataset, variables: { iq_re, iq_im: mirrored } };
    const swapped = { ...measured.dataset, variables: { iq_re: iq_im, iq_im: iq_re } };
    const { outputs } = analyse(measured);
    for (const other of [analyse({ ...measured, dataset }), analyse({ ...measured, dataset: swapped })]) {
      expect(other.refused).toBeUndefined();
      const { value = 0, error = 0 } = outputs.resonator_frequency ?? {};
      expect(Math.abs((other.outputs.resonator_frequency?.value ?? 0) - value)).toBeLessThan(error);
    }
  }
});
