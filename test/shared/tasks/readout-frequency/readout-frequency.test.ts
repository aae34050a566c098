import { test } from 'vitest';
import { besideReadout, testHonestErrors, trueReadoutFrequency } from '../honest-errors.ts';
import { describeMeasurement, failureWith } from '../measured-task.ts';

describeMeasurement('CheckReadoutFrequency', { figures: 1, title: /best at [\d.]+ ± [\d.]+ GHz$/ });

testHonestErrors('CheckReadoutFrequency', {
  truths: { readout_frequency: trueReadoutFrequency },
  inputs: besideReadout,
});

test('CheckReadoutFrequency fails if the readout frequency is not in its range', async () => {
  await failureWith('CheckReadoutFrequency', ({ readout_frequency = 0 }) => ({
    readout_frequency: readout_frequency + 0.3,
  }));
});
