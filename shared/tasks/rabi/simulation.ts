import type { Dataset } from '../../science/datasets/model.ts';
import { drivenTransition, populationAfter } from '../../science/device/driven-transition.ts';
import { type AveragedSignals, readOut } from '../../science/device/readout.ts';
import type { QubitSimulation } from '../common/simulation/model.ts';
import { readoutSettings, requireNumber, requireTimes } from '../common/simulation/parameters.ts';
import { shorten, sweepDataset } from '../common/simulation/sweeps.ts';
import type { ResolvedParameters } from '../model.ts';

/**
 * Oscillations over the pulse lengths of a task: with a drive at the stored frequency, and with a detuned drive if the
 * task sets a second detuning.
 *
 * @param signalsAt signals after pulses of these flat lengths (ns), with a drive detuned by `besideGhz` from the stored
 * frequency
 */
export function rabiDataset(
  run: ResolvedParameters,
  signalsAt: (flatNs: readonly number[], besideGhz: number) => AveragedSignals,
): Dataset {
  const points = requireTimes(run);
  const axis = { name: 'time', longName: 'Length of the control pulse', unit: 'ns', points };
  const dataset = sweepDataset(axis, signalsAt(points, 0));
  const beside = run.second_detuning === undefined ? 0 : requireNumber(run, 'second_detuning');
  if (beside === 0) return dataset;
  const second = signalsAt(points, beside);
  const variable = { dims: ['time'], unit: 'a.u.' };
  return {
    ...dataset,
    variables: {
      ...dataset.variables,
      detuned_re: {
        ...variable,
        values: shorten(second.re),
        long_name: 'In-phase signal, averaged, of the detuned drive',
      },
      detuned_im: {
        ...variable,
        values: shorten(second.im),
        long_name: 'Quadrature signal, averaged, of the detuned drive',
      },
    },
  };
}

/**
 * Drives at the stored frequency and amplitude for each pulse length, and again with a detuned drive if the task sets a
 * second detuning.
 */
export const rabiSimulation: QubitSimulation = {
  measure(experiment) {
    const { qubit, inputs, run, noise } = experiment;
    const rabiFrequency = qubit.maximumRabiFrequency * requireNumber(inputs, 'control_amplitude');
    const stored = requireNumber(inputs, 'qubit_frequency') - qubit.f01;
    const settings = readoutSettings(experiment);
    return rabiDataset(run, (lengths, beside) =>
      readOut(
        qubit,
        settings,
        lengths.map((flatNs) =>
          populationAfter(
            qubit,
            drivenTransition(qubit, {
              rabiFrequency,
              detuning: stored + beside,
              durationNs: flatNs + qubit.rampNs,
            }),
          ),
        ),
        noise,
      ),
    );
  },
};
