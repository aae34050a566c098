import { coherenceTask } from '../common/definition/bases.ts';
import { detuningLimits, timeLimits } from '../common/definition/limits.ts';
import { dragHpiInputs } from '../common/definition/qubit-inputs.ts';
import { shotsAndInterval } from '../common/definition/settings.ts';
import { defineTask, type TaskOutput } from '../model.ts';
import { STABILITY_ROUNDS } from './rounds.ts';

/** Time limit of all rounds together, seconds: half a day. */
const TIMEOUT = 43_200;

/** The statistics of each quantity. */
function outputsOf(
  quantity: string,
  { unit, what }: { unit: TaskOutput['unit']; what: string },
): Record<string, TaskOutput> {
  return {
    [`stability_${quantity}_spread`]: {
      unit,
      valueType: 'float',
      description: `Standard deviation of ${what} from round to round`,
      bounds: { minimum: 0 },
    },
    [`stability_${quantity}_jumps`]: {
      unit: '',
      valueType: 'int',
      description: `Number of jumps of ${what}`,
      bounds: { minimum: 0 },
    },
    [`stability_${quantity}_jump`]: {
      unit,
      valueType: 'float',
      description: `Largest jump of ${what}, with its sign; 0 for none`,
    },
    [`stability_${quantity}_jump_time`]: {
      unit: 's',
      valueType: 'float',
      description: `Time of the largest jump of ${what} since the first round; 0 for none`,
      bounds: { minimum: 0 },
    },
  };
}

export const checkStability = defineTask({
  ...coherenceTask,
  name: 'CheckStability',
  category: 'Measurement',
  description:
    'Measures T1, the qubit frequency and the signal of the readout in turn, round after round, and reports spread and jumps of each.',
  inputs: dragHpiInputs,
  runParameters: {
    rounds: {
      value: 40,
      valueType: 'int',
      unit: '',
      description: 'Number of rounds',
      bounds: { minimum: STABILITY_ROUNDS.fewest, maximum: STABILITY_ROUNDS.most },
    },
    round_interval: {
      value: 180,
      valueType: 'float',
      unit: 's',
      description: 'Time between the starts of two rounds',
      bounds: { minimum: 0, exclusiveMinimum: true, maximum: TIMEOUT },
    },
    delay_range: {
      value: [3, 5.2, 10],
      valueType: 'np.logspace',
      unit: 'ns',
      description:
        'Times after which the relaxation of the excited state is measured; start and stop are powers of ten',
      bounds: timeLimits,
    },
    time_range: {
      value: [2.3, 3.9, 8],
      valueType: 'np.logspace',
      unit: 'ns',
      description:
        'Free times between the two pi/2 pulses that determine the frequency; start and stop are powers of ten',
      bounds: timeLimits,
    },
    detuning: {
      value: 0.0005,
      valueType: 'float',
      unit: 'GHz',
      description: 'Phase advance of the second pulse in turns per ns',
      bounds: detuningLimits,
    },
    false_alarm_rate: {
      value: 0.01,
      valueType: 'float',
      unit: '',
      description: 'Probability of a false alarm for a stable device, for all three quantities together',
      bounds: { minimum: 0, exclusiveMinimum: true, maximum: 0.5 },
    },
    ...shotsAndInterval(1024),
  },
  outputs: {
    ...outputsOf('t1', { unit: 'us', what: 'T1' }),
    ...outputsOf('frequency', { unit: 'MHz', what: 'the qubit frequency' }),
    ...outputsOf('readout', { unit: '', what: 'the distance of both states, relative to its mean,' }),
  },
  figures: [
    { description: 'T1, frequency and readout signal over time, with straight lines from jump to jump' },
  ],
  timeout: TIMEOUT,
  // Each round has fits of its own, which are judged together.
  r2Threshold: null,
});
