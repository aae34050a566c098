import { drivenTransition, populationAfter } from '../../science/device/driven-transition.ts';
import { readOut } from '../../science/device/readout.ts';
import type { QubitSimulation } from '../common/simulation/model.ts';
import { readoutSettings, requireNumber, requireSweep } from '../common/simulation/parameters.ts';
import { sweepDataset } from '../common/simulation/sweeps.ts';

/** Drives at the frequency and amplitude that the task believes right, for each pulse length. */
export const rabiSimulation: QubitSimulation = {
  measure(experiment) {
    const { qubit, inputs, run, noise } = experiment;
    const points = requireSweep(run, 'time_range');
    const rabiFrequency = qubit.maximumRabiFrequency * requireNumber(inputs, 'control_amplitude');
    const detuning = requireNumber(inputs, 'qubit_frequency') - qubit.f01;
    const populations = points.map((flatNs) =>
      populationAfter(
        qubit,
        drivenTransition(qubit, { rabiFrequency, detuning, durationNs: flatNs + qubit.rampNs }),
      ),
    );
    const signals = readOut(qubit, readoutSettings(experiment), populations, noise);
    return sweepDataset(
      { name: 'time', longName: 'Length of the control pulse', unit: 'ns', points },
      signals,
    );
  },
};
