import { test } from 'vitest';
import { besideReadout, testHonestErrors, trueReadoutFrequency } from '../honest-errors.ts';
import { describeMeasurement, failureWith } from '../measured-task.ts';

describeMeasurement('CheckDispersiveShift', { figures: 1, title: /χ = -[\d.]+ ± [\d.]+ MHz$/ });

testHonestErrors('CheckDispersiveShift', {
  truths: {
    optimal_readout_frequency: trueReadoutFrequency,
    dispersive_shift: (qubit) => 500 * (qubit.resonatorExcited - qubit.resonatorGround),
  },
  seeds: 60,
  inputs: besideReadout,
});

test('CheckDispersiveShift fails if the readout frequency is not in its range', async () => {
  await failureWith('CheckDispersiveShift', ({ readout_frequency = 0 }) => ({
    readout_frequency: readout_frequency + 0.3,
  }));
});
