import { AVERAGED_RUNS } from '../../../science/conventions/averages.ts';
import type { TaskDefinition } from '../../model.ts';
import { coherenceTimeLimits } from './limits.ts';
import { coherenceWander } from './wander.ts';

/** Time limit of all runs together, seconds. */
const AVERAGE_TIMEOUT = 14_400;

/** The task that repeats the measurement of a coherence time and averages the results. */
export function averageOf<Single extends TaskDefinition>(
  single: Single,
  { output, spread, symbol }: { output: string; spread: string; symbol: string },
) {
  const { maximum } = coherenceTimeLimits;
  return {
    ...single,
    runParameters: {
      ...single.runParameters,
      n_runs: {
        value: 10,
        valueType: 'int',
        unit: '',
        description: 'Number of runs that are averaged',
        bounds: { minimum: AVERAGED_RUNS.fewest, maximum: AVERAGED_RUNS.most },
      },
    },
    outputs: {
      [output]: {
        unit: 'us',
        valueType: 'float',
        description: `Mean of ${symbol} over the runs; its error is that of the mean`,
        bounds: coherenceTimeLimits,
        wander: coherenceWander,
      },
      [spread]: {
        unit: 'us',
        valueType: 'float',
        description: `Standard deviation of ${symbol} from run to run`,
        bounds: { minimum: 0, maximum },
      },
    },
    figures: [
      { description: 'Values of the runs, their fluctuation, their histogram and the quality of the fits' },
      { description: 'Decay with its fit, one figure for each run' },
    ],
    timeout: AVERAGE_TIMEOUT,
  } as const;
}
