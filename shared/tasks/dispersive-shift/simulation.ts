import { addLineNoise, lineFactor, reflect, times } from '../../science/device/reflection.ts';
import type { QubitSimulation } from '../common/simulation/model.ts';
import { readoutSettings } from '../common/simulation/parameters.ts';
import {
  excitedByControl,
  frequencyMap,
  preparedStates,
  sweptFrequencies,
} from '../common/simulation/readout-sweep.ts';

/** However badly a state is prepared, so large a part of the shots shows it. */
const SMALLEST_SHARE = 1e-3;

/**
 * Reflection off the resonator for both states. Of the shots only those are averaged that a first readout finds in the
 * state wanted, so a badly prepared state costs shots and not purity.
 */
export const dispersiveShiftSimulation: QubitSimulation = {
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
    return frequencyMap(preparedStates, frequencies, {
      re: traces.flatMap(({ re }) => re),
      im: traces.flatMap(({ im }) => im),
    });
  },
};
