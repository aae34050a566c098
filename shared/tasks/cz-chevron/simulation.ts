import { exchangedPopulation } from '../../science/device/flux-gate.ts';
import { readOut } from '../../science/device/readout.ts';
import { loadedPulse } from '../common/simulation/drag-experiment.ts';
import { allowedAmplitude, excitation, fluxSides } from '../common/simulation/flux-experiment.ts';
import type { PairSimulation } from '../common/simulation/model.ts';
import { readoutSettings, requireSweep } from '../common/simulation/parameters.ts';
import { addScaleReferences } from '../common/simulation/scale-references.ts';
import { shorten } from '../common/simulation/sweeps.ts';

const MAX_POINTS = 40_000;

/**
 * Excites both qubits and plays a flux pulse on the higher one. The lower qubit loses its excitation to the higher one
 * and gets it back. Measures the lower qubit, and both of its prepared states.
 */
export const czChevronSimulation: PairSimulation = {
  measure(experiment) {
    const { pair, run, noise } = experiment;
    const times = requireSweep(run, 'time_range');
    const amplitudes = requireSweep(run, 'flux_amplitude_range').map((amplitude) =>
      allowedAmplitude(experiment, amplitude),
    );
    const points = times.length * amplitudes.length;
    if (points > MAX_POINTS) {
      throw new Error(`The simulator measures at most ${MAX_POINTS} points, not ${points}.`);
    }
    const { lower, higher } = fluxSides(experiment);
    const [excited, other] = [excitation(lower), excitation(higher)];
    const populations = times.flatMap((lengthNs) =>
      amplitudes.map((amplitude) => {
        const kept = 1 - other * exchangedPopulation(pair, { amplitude, lengthNs });
        return excited * kept * Math.exp(-lengthNs / (1000 * lower.qubit.t1));
      }),
    );
    const signals = readOut(lower.qubit, readoutSettings(lower), populations, noise);
    const dims = ['time', 'flux_amplitude'];
    return addScaleReferences(
      {
        dims: { time: times.length, flux_amplitude: amplitudes.length },
        coordinates: {
          time: { dims: ['time'], values: shorten(times), unit: 'ns', long_name: 'Length of the flux pulse' },
          flux_amplitude: {
            dims: ['flux_amplitude'],
            values: shorten(amplitudes),
            unit: 'a.u.',
            long_name: 'Amplitude of the flux pulse',
          },
        },
        variables: {
          iq_re: {
            dims,
            values: shorten(signals.re),
            unit: 'a.u.',
            long_name: 'In-phase signal of the lower qubit',
          },
          iq_im: {
            dims,
            values: shorten(signals.im),
            unit: 'a.u.',
            long_name: 'Quadrature signal of the lower qubit',
          },
        },
      },
      lower,
      loadedPulse(lower, 'drag_hpi'),
      2,
    );
  },
};
