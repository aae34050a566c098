import { expect, test } from 'vitest';
import { trueQubit } from '../../../../shared/science/device/device.ts';
import { randomFrom } from '../../../../shared/science/device/random.ts';
import { bestReadoutOffset } from '../../../../shared/science/device/readout.ts';
import { analyse } from '../../../../shared/tasks/analyses.ts';
import { gate } from '../../../../shared/tasks/gates.ts';
import { runOfNextPass } from '../../../../shared/tasks/next-pass.ts';
import { optimalReadoutFrequencySimulation } from '../../../../shared/tasks/optimal-readout-frequency/simulation.ts';
import { resolveRunParameters } from '../../../../shared/tasks/run-parameters.ts';
import { at, measure, taskOf } from '../../../support/measured.ts';
import { besideReadout, testHonestErrors, trueReadoutFrequency } from '../honest-errors.ts';
import { describeMeasurement, failureWith, inputsOf } from '../measured-task.ts';

describeMeasurement('CheckOptimalReadoutFrequency', { figures: 1, title: /best at [\d.]+ ± [\d.]+ GHz$/ });

testHonestErrors('CheckOptimalReadoutFrequency', {
  truths: { readout_frequency: trueReadoutFrequency },
  inputs: besideReadout,
});

test('CheckOptimalReadoutFrequency fails if the readout frequency is not in its range', async () => {
  await failureWith('CheckOptimalReadoutFrequency', ({ readout_frequency = 0 }) => ({
    readout_frequency: readout_frequency + 0.3,
  }));
});

test('CheckOptimalReadoutFrequency sweeps more finely around a peak if a resonator is narrower than its steps', () => {
  const task = taskOf('CheckOptimalReadoutFrequency');
  for (const seed of ['narrow-1', 'narrow-2', 'narrow-3']) {
    const usual = trueQubit(seed, '2', at);
    const qubit = { ...usual, kappa: 0.35e-3, kappaExternal: 0.33e-3, kappaInternal: 0.02e-3 };
    const inputs = Object.fromEntries(
      Object.entries(task.inputs).flatMap(([name, { unit, valueType }]) => {
        const value = inputsOf(seed, '2')[name];
        return value === undefined ? [] : [[name, { value, unit, value_type: valueType }]];
      }),
    );
    const measured = (run: ReturnType<typeof resolveRunParameters>['parameters']) => {
      const dataset = optimalReadoutFrequencySimulation.measure({
        qid: '2',
        qubit,
        muxMates: () => [qubit],
        neighbours: () => [],
        inputs,
        run,
        noise: randomFrom(seed, 'narrow'),
      });
      return analyse({ task, qid: '2', dataset, inputs, runParameters: run });
    };
    const { parameters } = resolveRunParameters(task, []);
    const first = measured(parameters);
    expect(first.again?.run).toMatchObject({ detuning_range: { value_type: 'np.linspace' } });
    let run = runOfNextPass(parameters, first.again ?? { run: {} });
    let finer = measured(run);
    if (gate(task, finer) !== null) {
      run = runOfNextPass(run, finer.again ?? { run: {} });
      finer = measured(run);
    }
    expect(gate(task, finer)).toBeNull();
    const { value = 0, error = 0 } = finer.outputs.readout_frequency ?? {};
    const beside = Math.abs(value - qubit.readoutFrequency) - bestReadoutOffset(qubit);
    expect(Math.abs(beside)).toBeLessThan(5 * error);
    expect(error).toBeLessThan(0.1e-3);
  }
});

test('CheckOptimalReadoutFrequency does not request a finer sweep of a wide and noisy peak', async () => {
  const measured = await measure('CheckOptimalReadoutFrequency', 'wide and noisy', {
    run: { shots: 20 },
  });
  const { again, r2 } = analyse(measured);
  expect(r2).toBeLessThan(0.98);
  expect(again).toBeUndefined();
});
