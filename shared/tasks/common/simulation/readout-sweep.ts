import { TARGET_RABI_FREQUENCY_GHZ } from '../../../science/conventions/pulse.ts';
import type { Dataset } from '../../../science/datasets/model.ts';
import { drivenTransition, populationAfter } from '../../../science/device/driven-transition.ts';
import { readOut } from '../../../science/device/readout.ts';
import type { Experiment } from './model.ts';
import { readoutSettings, requireNumber, requireSweep } from './parameters.ts';
import { shorten } from './sweeps.ts';

/** The drive with the parameters that the task assumes. GHz. */
export function driveOf({ qubit, inputs }: Experiment) {
  return {
    rabiFrequency: qubit.maximumRabiFrequency * requireNumber(inputs, 'control_amplitude'),
    detuning: requireNumber(inputs, 'qubit_frequency') - qubit.f01,
  };
}

/** Population after driving for a half turn at the Rabi frequency that the control amplitude is calibrated for. */
export function excitedByControl(experiment: Experiment): number {
  const drive = { ...driveOf(experiment), durationNs: 0.5 / TARGET_RABI_FREQUENCY_GHZ };
  return populationAfter(experiment.qubit, drivenTransition(experiment.qubit, drive));
}

/** The sweep around the assumed readout frequency, GHz. */
export function sweptFrequencies({ inputs, run }: Experiment): number[] {
  const stored = requireNumber(inputs, 'readout_frequency');
  return shorten(requireSweep(run, 'detuning_range').map((detuning) => stored + detuning));
}

/** A complex signal over the given rows and the readout frequency. */
export function frequencyMap(
  rows: { name: string; longName: string; unit: string; points: readonly number[] },
  frequencies: readonly number[],
  signals: { re: readonly number[]; im: readonly number[] },
): Dataset {
  const signal = { dims: [rows.name, 'frequency'], unit: 'a.u.' };
  return {
    dims: { [rows.name]: rows.points.length, frequency: frequencies.length },
    coordinates: {
      [rows.name]: {
        dims: [rows.name],
        values: shorten(rows.points),
        unit: rows.unit,
        long_name: rows.longName,
      },
      frequency: {
        dims: ['frequency'],
        values: [...frequencies],
        unit: 'GHz',
        long_name: 'Readout frequency',
      },
    },
    variables: {
      iq_re: { ...signal, values: shorten(signals.re), long_name: 'In-phase signal, averaged' },
      iq_im: { ...signal, values: shorten(signals.im), long_name: 'Quadrature signal, averaged' },
    },
  };
}

/** Signals for each population (rows) read out at each frequency (columns). */
export function readAt(
  experiment: Experiment,
  populations: readonly number[],
  frequencies: readonly number[],
) {
  const settings = readoutSettings(experiment);
  const signals: { re: number[]; im: number[] } = { re: [], im: [] };
  for (const population of populations) {
    for (const frequency of frequencies) {
      const { re, im } = readOut(
        experiment.qubit,
        { ...settings, frequency },
        [population],
        experiment.noise,
      );
      signals.re.push(...re);
      signals.im.push(...im);
    }
  }
  return signals;
}

/** Both prepared states as the rows of a map. */
export const preparedStates = {
  name: 'state',
  longName: 'Prepared state: 0 ground, 1 excited',
  unit: '',
  points: [0, 1],
};
