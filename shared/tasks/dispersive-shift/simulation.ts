import { addLineNoise, lineFactor, reflect } from '../../science/device/reflection.ts';
import { type Complex, times } from '../../science/quantum/complex.ts';
import type { QubitSimulation } from '../common/simulation/model.ts';
import { readoutSettings } from '../common/simulation/parameters.ts';
import {
  excitedByControl,
  frequencyMap,
  preparedStates,
  sweptFrequencies,
} from '../common/simulation/readout-sweep.ts';

/** The mean reflection if a fraction of the shots is in the other state. */
function mixture(one: Complex | undefined, other: Complex | undefined, part: number): Complex {
  const of = (name: 're' | 'im') => (1 - part) * (one?.[name] ?? 0) + part * (other?.[name] ?? 0);
  return { re: of('re'), im: of('im') };
}

/** Averaged reflection off the resonator for both prepared states, each with its admixture of the other. */
export const dispersiveShiftSimulation: QubitSimulation = {
  measure(experiment) {
    const { qubit, noise } = experiment;
    const { amplitude, shots } = readoutSettings(experiment);
    const frequencies = sweptFrequencies(experiment);
    const traces = [qubit.thermalPopulation, excitedByControl(experiment)].map((excited) =>
      addLineNoise(
        frequencies.map((frequency) => {
          const [one, other] = [qubit.resonatorGround, qubit.resonatorExcited].map((resonator) =>
            reflect(qubit, frequency - resonator),
          );
          return times(lineFactor(qubit, frequency), mixture(one, other, excited));
        }),
        qubit,
        { amplitude, shots },
        noise,
      ),
    );
    return frequencyMap(preparedStates, frequencies, {
      re: traces.flatMap(({ re }) => re),
      im: traces.flatMap(({ im }) => im),
    });
  },
};
