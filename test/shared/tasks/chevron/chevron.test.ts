import { expect, test } from 'vitest';
import { analyse } from '../../../../shared/tasks/analyses.ts';
import { findTask } from '../../../../shared/tasks/catalog.ts';
import { gate } from '../../../../shared/tasks/gates.ts';
import { measure } from '../../../support/measured.ts';
import {
  type Offset,
  spread,
  testHonestErrors,
  trueControlAmplitude,
  trueFrequency,
} from '../honest-errors.ts';
import { describeMeasurement, failureWith, inputsOf } from '../measured-task.ts';

describeMeasurement('CheckChevron', { figures: 3, title: /f01 = [\d.]+ ± [\d.]+ GHz$/ });
describeMeasurement('CheckCoarseChevron', { figures: 2, title: /f01 = [\d.]+ ± [\d.]+ GHz$/ });
describeMeasurement('CheckFineChevron', { figures: 2, title: /f01 = [\d.]+ ± [\d.]+ GHz$/ });
describeMeasurement('CheckQubitFrequency', { figures: 1, title: /f01 = [\d.]+ ± [\d.]+ GHz$/ });

/** Coarse and fine values with errors. */
const beside: Offset = (start, index) => ({
  coarse_qubit_frequency: (start.qubit_frequency?.value ?? 0) + 1e-3 * spread(index),
  coarse_control_amplitude: (start.control_amplitude?.value ?? 0) * (1 + 0.1 * spread(index)),
  qubit_frequency: (start.qubit_frequency?.value ?? 0) + 1e-3 * spread(index),
  control_amplitude: (start.control_amplitude?.value ?? 0) * (1 + 0.1 * spread(index)),
});
const truths = { qubit_frequency: trueFrequency, control_amplitude: trueControlAmplitude };

testHonestErrors('CheckChevron', { truths, seeds: 50, inputs: beside });
testHonestErrors('CheckCoarseChevron', { truths, seeds: 60, inputs: beside, again: true });
testHonestErrors('CheckFineChevron', { truths, seeds: 60, inputs: beside });
testHonestErrors('CheckQubitFrequency', {
  truths: { qubit_frequency: trueFrequency },
  seeds: 60,
  again: true,
});

test.each(['CheckFineChevron', 'CheckQubitFrequency'])('%s fails far from the qubit', async (name) => {
  await failureWith(name, ({ qubit_frequency = 0 }) => ({ qubit_frequency: qubit_frequency + 0.2 }));
});

test('ChevronPattern is another name of CheckFineChevron', () => {
  expect(findTask('ChevronPattern')).toBe(findTask('CheckFineChevron'));
});

test('CheckChevron replaces a coarse control amplitude that cannot be used', async () => {
  for (const coarse of [0, 1e-5, 3]) {
    const inputs = { ...inputsOf('usable', '4'), coarse_control_amplitude: coarse };
    const measured = await measure('CheckChevron', 'usable', { qid: '4', inputs });
    expect(gate(measured.task, analyse(measured))).toBeNull();
  }
});
