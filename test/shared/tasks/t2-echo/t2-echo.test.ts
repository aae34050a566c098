import { test } from 'vitest';
import { testHonestErrors } from '../honest-errors.ts';
import { describeMeasurement, failureWith } from '../measured-task.ts';

describeMeasurement('CheckT2Echo', { figures: 1, title: /T2 echo = [\d.]+ ± [\d.]+ µs$/ });
describeMeasurement('CheckT2EchoAverage', {
  figures: 11,
  title: /T2 echo = [\d.]+ ± [\d.]+ µs, std [\d.]+ µs$/,
});

testHonestErrors('CheckT2Echo', { truths: { t2_echo: (qubit) => qubit.t2Echo } });
testHonestErrors('CheckT2EchoAverage', {
  truths: { t2_echo_average: (qubit) => Math.min(qubit.t2Echo, 2 * qubit.t1) },
});

test('CheckT2Echo fails far from the qubit', async () => {
  await failureWith('CheckT2Echo', ({ qubit_frequency = 0 }) => ({ qubit_frequency: qubit_frequency + 0.2 }));
});
