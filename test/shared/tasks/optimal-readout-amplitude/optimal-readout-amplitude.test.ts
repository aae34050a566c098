import { expect, test } from 'vitest';
import { drivenTransition, populationAfter } from '../../../../shared/science/device/driven-transition.ts';
import { analyse } from '../../../../shared/tasks/analyses.ts';
import { numberOf } from '../../../../shared/tasks/common/parameters.ts';
import { DEFAULT_FIDELITY_FRACTION } from '../../../../shared/tasks/optimal-readout-amplitude/definition.ts';
import { measure } from '../../../support/measured.ts';
import { type Truth, testHonestErrors } from '../honest-errors.ts';
import { describeMeasurement } from '../measured-task.ts';
import { trueFidelity } from '../true-fidelity.ts';

describeMeasurement('CheckOptimalReadoutAmplitude', { figures: 3, title: /[\d.]+ ± [\d.]+ a\.u\.$/ });

/** Smallest amplitude that reaches 99 % of the best fidelity at any amplitude. */
const bestReadoutAmplitude: Truth = (qubit, { inputs }) => {
  const [control = 0, stored = 0, frequency = 0, lengthNs = 0] = [
    'control_amplitude',
    'qubit_frequency',
    'readout_frequency',
    'readout_length',
  ].map((name) => numberOf(inputs[name]));
  const drive = {
    rabiFrequency: qubit.maximumRabiFrequency * control,
    detuning: stored - qubit.f01,
    durationNs: 40,
  };
  const excited = populationAfter(qubit, drivenTransition(qubit, drive));
  const curve = Array.from({ length: 480 }, (_, index) => 0.01 + index * 0.0005).map((amplitude) => ({
    amplitude,
    fidelity: trueFidelity(qubit, { frequency, amplitude, lengthNs, shots: 1 }, excited),
  }));
  const best = Math.max(...curve.map(({ fidelity }) => fidelity));
  return curve.find(({ fidelity }) => fidelity >= DEFAULT_FIDELITY_FRACTION * best)?.amplitude ?? Number.NaN;
};

testHonestErrors('CheckOptimalReadoutAmplitude', {
  truths: { readout_amplitude: bestReadoutAmplitude },
  seeds: 60,
});

test('states that no amplitude distinguishes are refused with their fidelity, and shown', async () => {
  const measured = await measure('CheckOptimalReadoutAmplitude', 'readout', {
    inputs: { readout_frequency: 8.1 },
  });
  const { refused, figures } = analyse(measured);
  expect(refused).toMatch(
    /^the two states cannot be distinguished at any amplitude: the best fidelity is 0\.5/,
  );
  expect(figures.length).toBeGreaterThan(0);
});
