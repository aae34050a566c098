import { test } from 'vitest';
import { besideReadout, testHonestErrors, trueReadoutFrequency } from '../honest-errors.ts';
import { describeMeasurement, failureWith } from '../measured-task.ts';

describeMeasurement('CheckOptimalReadoutFrequency', { figures: 1, title: /best at [\d.]+ ± [\d.]+ GHz$/ });

testHonestErrors('CheckOptimalReadoutFrequency', {
  truths: { readout_frequency: trueReadoutFrequency },
  inputs: besideReadout,
});

test('CheckOptimalReadoutFrequency fails where the readout frequency is not in its range', async () => {
  await failureWith('CheckOptimalReadoutFrequency', ({ readout_frequency = 0 }) => ({
    readout_frequency: readout_frequency + 0.3,
  }));
});
