import { describe, expect, test } from 'vitest';
import { type TrueQubit, trueQubit } from '../../../../shared/science/device/device.ts';
import { analyse } from '../../../../shared/tasks/analyses.ts';
import { gate } from '../../../../shared/tasks/gates.ts';
import { at, measure } from '../../../support/measured.ts';
import { describeContinuousWave } from '../continuous-wave.ts';

describeContinuousWave('CheckControlAmplitude', {
  inputs: (qubit) => ({
    readout_frequency: qubit.resonatorGround,
    coarse_qubit_frequency: qubit.f01 + 0.002,
    coarse_control_amplitude: 0.006 / qubit.maximumRabiFrequency,
  }),
  truths: {
    coarse_qubit_frequency: (qubit) => qubit.f01,
    coarse_control_amplitude: (qubit) => 0.0125 / qubit.maximumRabiFrequency,
  },
});

describe('CheckControlAmplitude', () => {
  const inputs = (qubit: TrueQubit, rabi: number, offset = 0) => ({
    readout_frequency: qubit.resonatorGround,
    coarse_qubit_frequency: qubit.f01 + offset,
    coarse_control_amplitude: rabi / qubit.maximumRabiFrequency,
  });

  test('keeps an amplitude that already drives faster than the target', async () => {
    const qubit = trueQubit('fast', '0', at);
    const measured = await measure('CheckControlAmplitude', 'fast', { inputs: inputs(qubit, 0.03) });
    const seed = measured.inputs.coarse_control_amplitude?.value;
    expect(analyse(measured).outputs.coarse_control_amplitude).toEqual({ value: seed, error: 0 });
  });

  test('fails if the qubit is outside of the sweep', async () => {
    const qubit = trueQubit('away', '0', at);
    const measured = await measure('CheckControlAmplitude', 'away', { inputs: inputs(qubit, 0.01, 0.6) });
    expect(gate(measured.task, analyse(measured))).not.toBeNull();
  });
});
