import { TARGET_RABI_FREQUENCY_GHZ } from '../../science/conventions/pulse.ts';
import type { Dataset } from '../../science/datasets/model.ts';
import { readOut } from '../../science/device/readout.ts';
import { addLineNoise, lineFactor, reflect, times } from '../../science/device/reflection.ts';
import {
  drivenTransition,
  type Experiment,
  populationAfter,
  readoutSettings,
  requireNumber,
  requireSweep,
  shorten,
  type TaskPhysics,
} from '../common/simulation/physics.ts';

/** Readout frequencies around the believed one, GHz. */
const SWEEP_WIDTH = 0.05;
const SWEEP_STEP = 0.0004;
/** However badly a state is prepared, so large a part of the shots shows it. */
const SMALLEST_SHARE = 1e-3;

function driveOf({ qubit, inputs }: Experiment) {
  return {
    rabiFrequency: qubit.maximumRabiFrequency * requireNumber(inputs, 'control_amplitude'),
    detuning: requireNumber(inputs, 'qubit_frequency') - qubit.f01,
  };
}

/** Population after driving for half a turn at the Rabi frequency that the control amplitude shall give. */
export function excitedByControl(experiment: Experiment): number {
  const drive = { ...driveOf(experiment), durationNs: 0.5 / TARGET_RABI_FREQUENCY_GHZ };
  return populationAfter(experiment.qubit, drivenTransition(experiment.qubit, drive));
}

function sweptFrequencies({ inputs }: Experiment): number[] {
  const believed = requireNumber(inputs, 'readout_frequency');
  const count = Math.round(SWEEP_WIDTH / SWEEP_STEP) + 1;
  return shorten(
    Array.from({ length: count }, (_, index) => believed - SWEEP_WIDTH / 2 + index * SWEEP_STEP),
  );
}

function frequencyMap(
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
function readAt(experiment: Experiment, populations: readonly number[], frequencies: readonly number[]) {
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

const states = { name: 'state', longName: 'Prepared state: 0 ground, 1 excited', unit: '', points: [0, 1] };

/** Rabi oscillations, read out beside the believed frequency. */
export const readoutFrequencyPhysics: TaskPhysics = {
  measure(experiment) {
    const { qubit, inputs, run } = experiment;
    const believed = requireNumber(inputs, 'readout_frequency');
    const frequencies = shorten(requireSweep(run, 'detuning_range').map((detuning) => believed + detuning));
    const points = requireSweep(run, 'time_range');
    const drive = driveOf(experiment);
    const populations = points.map((flatNs) =>
      populationAfter(qubit, drivenTransition(qubit, { ...drive, durationNs: flatNs + qubit.rampNs })),
    );
    const rows = { name: 'time', longName: 'Length of the control pulse', unit: 'ns', points };
    return frequencyMap(rows, frequencies, readAt(experiment, populations, frequencies));
  },
};

/** Both states, read out at frequencies around the believed one. */
export const optimalReadoutFrequencyPhysics: TaskPhysics = {
  measure(experiment) {
    const frequencies = sweptFrequencies(experiment);
    const populations = [experiment.qubit.thermalPopulation, excitedByControl(experiment)];
    return frequencyMap(states, frequencies, readAt(experiment, populations, frequencies));
  },
};

/**
 * Reflection off the resonator for both states. Of the shots only those are averaged that a first readout finds in the
 * state wanted, so a badly prepared state costs shots and not purity.
 */
export const dispersiveShiftPhysics: TaskPhysics = {
  measure(experiment) {
    const { qubit, noise } = experiment;
    const { amplitude, shots } = readoutSettings(experiment);
    const frequencies = sweptFrequencies(experiment);
    const prepared = [
      { share: 1 - qubit.thermalPopulation, resonator: qubit.resonatorGround },
      { share: excitedByControl(experiment), resonator: qubit.resonatorExcited },
    ];
    const traces = prepared.map(({ share, resonator }) =>
      addLineNoise(
        frequencies.map((frequency) =>
          times(lineFactor(qubit, frequency), reflect(qubit, frequency - resonator)),
        ),
        qubit,
        { amplitude, shots: shots * Math.max(SMALLEST_SHARE, share) },
        noise,
      ),
    );
    return frequencyMap(states, frequencies, {
      re: traces.flatMap(({ re }) => re),
      im: traces.flatMap(({ im }) => im),
    });
  },
};
