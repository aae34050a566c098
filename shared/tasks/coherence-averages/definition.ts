import type { TaskDefinition } from '../model.ts';
import { checkT1 } from '../t1/definition.ts';
import { checkT2Echo } from '../t2-echo/definition.ts';

/** Seconds that all runs together may take. */
const AVERAGE_TIMEOUT = 14_400;

/** The task that repeats another and averages what it finds. */
function averageOf(
  single: TaskDefinition,
  text: { name: string; description: string; output: string; spread: string; what: string },
): TaskDefinition {
  const time = { unit: 'us', valueType: 'float', bounds: { minimum: 0, maximum: 100_000 } } as const;
  return {
    ...single,
    name: text.name,
    description: text.description,
    runParameters: {
      ...single.runParameters,
      n_runs: {
        value: 10,
        valueType: 'int',
        unit: '',
        description: 'Number of runs that are averaged',
        bounds: { minimum: 2, maximum: 100 },
      },
    },
    outputs: {
      [text.output]: {
        ...time,
        description: `${text.what} on average over the runs; its error is that of the mean`,
        bounds: { ...time.bounds, exclusiveMinimum: true },
      },
      [text.spread]: { ...time, description: `Standard deviation of ${text.what} from run to run` },
    },
    figures: [
      { description: 'Values of the runs, their fluctuation, their histogram and the quality of the fits' },
      { description: 'Decay with its fit, one figure for each run' },
    ],
    timeout: AVERAGE_TIMEOUT,
  };
}

export const checkT1Average = averageOf(checkT1, {
  name: 'CheckT1Average',
  description: 'Measures T1 several times and averages; tells how much it fluctuates.',
  output: 't1_average',
  spread: 't1_std',
  what: 'T1',
});

export const checkT2EchoAverage = averageOf(checkT2Echo, {
  name: 'CheckT2EchoAverage',
  description: 'Measures T2 with an echo several times and averages; tells how much it fluctuates.',
  output: 't2_echo_average',
  spread: 't2_echo_std',
  what: 'T2 echo',
});
