import {
  DEFAULT_SHOTS,
  HIGHEST_CONTROL_AMPLITUDE,
  SEARCHING_CONTROL_AMPLITUDE,
  TARGET_RABI_FREQUENCY_GHZ,
  USABLE_CONTROL_AMPLITUDE,
} from '../../science/conventions/pulse.ts';
import type { Dataset } from '../../science/datasets/model.ts';
import { drivenTransition, populationAfter } from '../../science/device/driven-transition.ts';
import { type ReadoutSettings, readOut } from '../../science/device/readout.ts';
import type { Experiment, QubitSimulation } from '../common/simulation/model.ts';
import { readoutSettings, requireNumber, requireSweep } from '../common/simulation/parameters.ts';
import { shorten } from '../common/simulation/sweeps.ts';
import type { ResolvedParameters } from '../model.ts';
import { findVertex, type Grid } from './search.ts';

function evenly(from: number, step: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => from + index * step);
}

const roughGrid = (centre: number): Grid => ({
  frequencies: evenly(centre - 0.075, 0.005, 31),
  times: evenly(0, 8, 13),
});
const fineGrid = (centre: number): Grid => ({
  frequencies: evenly(centre - 0.01, 0.002, 11),
  times: evenly(0, 8, 26),
});

/** Signals of a chevron under the given names of variables and axes. */
function chevron(
  { qubit, noise }: Experiment,
  grid: Grid,
  drive: { amplitude: number; settings: ReadoutSettings },
  prefix: '' | 'rough_' = '',
): Dataset {
  const { amplitude, settings } = drive;
  const rabiFrequency = qubit.maximumRabiFrequency * amplitude;
  const frequencies = shorten(grid.frequencies);
  const lines = [
    { f01: qubit.f01, share: 1 },
    ...(qubit.foreignLine === undefined ? [] : [qubit.foreignLine]),
  ];
  const populations = grid.times.flatMap((time) =>
    frequencies.map((frequency) => {
      const durationNs = time + qubit.rampNs;
      const transition = lines.reduce(
        (sum, { f01, share }) =>
          sum + share * drivenTransition(qubit, { rabiFrequency, detuning: frequency - f01, durationNs }),
        0,
      );
      return populationAfter(qubit, transition);
    }),
  );
  const signals = readOut(qubit, settings, populations, noise);
  const [time, frequency, name] = [`${prefix}time`, `${prefix}frequency`, prefix === '' ? 'iq' : 'rough'];
  const signal = { dims: [time, frequency], unit: 'a.u.' };
  return {
    dims: { [time]: grid.times.length, [frequency]: frequencies.length },
    coordinates: {
      [time]: {
        dims: [time],
        values: shorten(grid.times),
        unit: 'ns',
        long_name: 'Length of the control pulse',
      },
      [frequency]: { dims: [frequency], values: frequencies, unit: 'GHz', long_name: 'Drive frequency' },
    },
    variables: {
      [`${name}_re`]: { ...signal, values: shorten(signals.re), long_name: 'In-phase signal, averaged' },
      [`${name}_im`]: { ...signal, values: shorten(signals.im), long_name: 'Quadrature signal, averaged' },
      [`${prefix}control_amplitude`]: {
        dims: [frequency],
        values: shorten(frequencies.map(() => amplitude)),
        unit: 'a.u.',
        long_name: 'Amplitude of the control pulse',
      },
    },
  };
}

/** Readout settings of a task that may lack a number of shots, or has its own readout amplitude. */
function settingsOf({ inputs, run }: Experiment): ReadoutSettings {
  const own = run.readout_amplitude;
  const readout: ResolvedParameters =
    own === undefined || own.value === null ? {} : { readout_amplitude: own };
  return readoutSettings({ inputs: { ...inputs, ...readout }, run }, DEFAULT_SHOTS);
}

/**
 * A rough chevron around the coarse frequency, then a fine one at the vertex of the rough one, with the amplitude that
 * gives the usual Rabi frequency there. If no vertex is found, the fine one uses the coarse values.
 */
export const searchedChevronSimulation: QubitSimulation = {
  measure(experiment) {
    const coarse = requireNumber(experiment.inputs, 'coarse_qubit_frequency');
    const given = requireNumber(experiment.inputs, 'coarse_control_amplitude');
    const usable = given > USABLE_CONTROL_AMPLITUDE.above && given < USABLE_CONTROL_AMPLITUDE.below;
    const amplitude = usable ? given : SEARCHING_CONTROL_AMPLITUDE;
    const settings = settingsOf(experiment);
    const grid = roughGrid(coarse);
    const rough = chevron(experiment, grid, { amplitude, settings }, 'rough_');
    const [re = [], im = []] = [rough.variables.rough_re, rough.variables.rough_im].map(
      (variable) => variable?.values.map(Number) ?? [],
    );
    const vertex = findVertex({ re, im }, grid, experiment.qubit.rampNs);
    const rabi = vertex?.rabiFrequency ?? TARGET_RABI_FREQUENCY_GHZ;
    const scaled = Math.min(HIGHEST_CONTROL_AMPLITUDE, (amplitude * TARGET_RABI_FREQUENCY_GHZ) / rabi);
    const fine = chevron(experiment, fineGrid(vertex?.frequency ?? coarse), { amplitude: scaled, settings });
    return {
      dims: { ...fine.dims, ...rough.dims },
      coordinates: { ...fine.coordinates, ...rough.coordinates },
      variables: { ...fine.variables, ...rough.variables },
    };
  },
};

export const coarseChevronSimulation: QubitSimulation = {
  measure(experiment) {
    const { frequencies } = roughGrid(requireNumber(experiment.inputs, 'coarse_qubit_frequency'));
    const grid = { frequencies, times: requireSweep(experiment.run, 'time_range') };
    const amplitude = requireNumber(experiment.inputs, 'control_amplitude');
    return chevron(experiment, grid, { amplitude, settings: settingsOf(experiment) });
  },
};

export const fineChevronSimulation: QubitSimulation = {
  measure(experiment) {
    const grid = fineGrid(requireNumber(experiment.inputs, 'qubit_frequency'));
    const amplitude = requireNumber(experiment.inputs, 'control_amplitude');
    return chevron(experiment, grid, { amplitude, settings: settingsOf(experiment) });
  },
};

export const qubitFrequencySimulation: QubitSimulation = {
  measure(experiment) {
    const { inputs, run } = experiment;
    const stored = requireNumber(inputs, 'qubit_frequency');
    const grid = {
      frequencies: requireSweep(run, 'detuning_range').map((detuning) => stored + detuning),
      times: requireSweep(run, 'time_range'),
    };
    const amplitude = requireNumber(inputs, 'control_amplitude');
    return chevron(experiment, grid, { amplitude, settings: settingsOf(experiment) });
  },
};
