import { AVERAGED_RUNS } from '../../../science/conventions/averages.ts';
import type { Dataset, DatasetVariable } from '../../../science/datasets/model.ts';
import type { TrueQubit } from '../../../science/device/device.ts';
import type { Random } from '../../../science/device/random.ts';
import type { Experiment, QubitSimulation } from './model.ts';
import { requireNumber } from './parameters.ts';

/** Stacks the runs of a measurement along an additional first dimension `run`. */
function stack(runs: readonly Dataset[]): Dataset {
  const [first] = runs;
  if (first === undefined) throw new Error('The simulator needs at least one run.');
  const variables = Object.entries(first.variables).map(([name, variable]) => {
    const values = runs.flatMap((dataset) => dataset.variables[name]?.values ?? []);
    const stacked: DatasetVariable = { ...variable, dims: ['run', ...variable.dims], values };
    return [name, stacked] as const;
  });
  return {
    dims: { run: runs.length, ...first.dims },
    coordinates: {
      run: {
        dims: ['run'],
        values: runs.map((_, index) => index + 1),
        unit: '',
        long_name: 'Number of the run',
      },
      ...first.coordinates,
    },
    variables: Object.fromEntries(variables),
  };
}

/** Repeats a measurement, each time on the current state of the qubit. */
export function averageSimulation(
  simulation: QubitSimulation,
  qubitOfRun: (qubit: TrueQubit, random: Random) => TrueQubit,
): QubitSimulation {
  return {
    measure(experiment: Experiment) {
      const runs = requireNumber(experiment.run, 'n_runs');
      if (!Number.isSafeInteger(runs) || runs < 1 || runs > AVERAGED_RUNS.most) {
        throw new Error(`The simulator makes 1 to ${AVERAGED_RUNS.most} runs, not ${runs}.`);
      }
      return stack(
        Array.from({ length: runs }, () =>
          simulation.measure({ ...experiment, qubit: qubitOfRun(experiment.qubit, experiment.noise) }),
        ),
      );
    },
  };
}
