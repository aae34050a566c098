import { expect, test } from 'vitest';
import { randomFrom } from '../../../../shared/science/device/random.ts';
import { analyse } from '../../../../shared/tasks/analyses.ts';
import { resolveRunParameters } from '../../../../shared/tasks/run-parameters.ts';
import { taskOf } from '../../../support/measured.ts';
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

/** A decay of 20 us from the middle of both states, up or down, with references of both. */
function fromTheMiddle(name: string, side: 1 | -1, run: number) {
  const random = randomFrom('sign', run);
  const times = Array.from({ length: 51 }, (_, index) => 100 * 1.16 ** index);
  const variable = (dim: string, values: number[], unit = '') => ({
    dims: [dim],
    values,
    unit,
    long_name: '',
  });
  const dataset = {
    dims: { time: times.length, state: 2 },
    coordinates: { time: variable('time', times, 'ns'), state: variable('state', [0, 1]) },
    variables: {
      iq_re: variable(
        'time',
        times.map((t) => 0.5 + side * 0.45 * Math.exp(-t / 20_000) + 0.01 * random.normal()),
      ),
      iq_im: variable(
        'time',
        times.map(() => 0.01 * random.normal()),
      ),
      reference_re: variable('state', [0, 1]),
      reference_im: variable('state', [0, 0]),
    },
  };
  const task = taskOf(name);
  const runParameters = resolveRunParameters(task, []).parameters;
  return analyse({ task, qid: '0', dataset, inputs: {}, runParameters });
}

test.each([1, -1] as const)('CheckT2Echo finds an echo that ends in either state: %i', (side) => {
  for (let run = 0; run < 20; run++) {
    const { outputs, refused } = fromTheMiddle('CheckT2Echo', side, run);
    expect(refused).toBeUndefined();
    const { value = 0, error = 0 } = outputs.t2_echo ?? {};
    expect(Math.abs(value - 20) / error).toBeLessThan(4.5);
  }
});

test('CheckT1 reports a population that rises, and does not measure again', () => {
  const { refused, again } = fromTheMiddle('CheckT1', -1, 0);
  expect(refused).toMatch(/rises instead of decaying.*references of the states 0 and 1 may be swapped/);
  expect(again).toBeUndefined();
});
