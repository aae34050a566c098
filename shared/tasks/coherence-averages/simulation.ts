import type { Dataset, DatasetVariable } from '../../science/datasets/model.ts';
import type { TrueQubit } from '../../science/device/device.ts';
import type { Random } from '../../science/device/random.ts';
import { type Experiment, requireNumber, type TaskPhysics } from '../common/simulation/physics.ts';
import { jitterT1, t1Physics } from '../t1/simulation.ts';
import { jitterT2, t2EchoPhysics } from '../t2-echo/simulation.ts';

const MOST_RUNS = 100;
/** Part of the runs in which a defect is in resonance with the qubit. */
const DEFECT_SHARE = 0.3;

/** T1 of one run: it scatters, and jumps where a defect switches. */
function t1OfRun(qubit: TrueQubit, random: Random): TrueQubit {
  const shortened = random.uniform() < DEFECT_SHARE ? qubit.telegraphFactor : 1;
  return jitterT1({ ...qubit, t1: qubit.t1 * shortened }, random);
}

/** What T1 is on average over many runs. */
export function expectedT1(qubit: TrueQubit): number {
  return qubit.t1 * (1 - DEFECT_SHARE + DEFECT_SHARE * qubit.telegraphFactor);
}

/** The runs of a measurement one after the other, along a further first dimension `run`. */
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

/** Repeats a measurement, each time on the qubit as it is then. */
function averagePhysics(
  physics: TaskPhysics,
  qubitOfRun: (qubit: TrueQubit, random: Random) => TrueQubit,
): TaskPhysics {
  return {
    measure(experiment: Experiment) {
      const runs = requireNumber(experiment.run, 'n_runs');
      if (!Number.isSafeInteger(runs) || runs < 1 || runs > MOST_RUNS) {
        throw new Error(`The simulator makes 1 to ${MOST_RUNS} runs, not ${runs}.`);
      }
      return stack(
        Array.from({ length: runs }, () =>
          physics.measure({ ...experiment, qubit: qubitOfRun(experiment.qubit, experiment.noise) }),
        ),
      );
    },
  };
}

export const t1AveragePhysics = averagePhysics(t1Physics, t1OfRun);
export const t2EchoAveragePhysics = averagePhysics(t2EchoPhysics, jitterT2);
