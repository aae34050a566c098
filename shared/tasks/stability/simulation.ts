import type { Dataset } from '../../science/datasets/model.ts';
import { equilibrium, excitedPopulation, wait } from '../../science/device/bloch.ts';
import type { TrueQubit } from '../../science/device/device.ts';
import { readOut } from '../../science/device/readout.ts';
import { withPhase } from '../../science/quantum/rotations.ts';
import { loadedPulse, play, played } from '../common/simulation/drag-experiment.ts';
import type { Experiment, QubitSimulation } from '../common/simulation/model.ts';
import { readoutSettings, requireNumber, requireSweep } from '../common/simulation/parameters.ts';
import { shorten } from '../common/simulation/sweeps.ts';
import { STABILITY_ROUNDS } from './rounds.ts';

/** Prepared states of a round: ground, then excited. */
const PREPARED = [0, 0, 0, 0, 1, 1, 1, 1];

/** Populations of one round: the decay, both fringes, and the prepared states. */
function populationsOf(experiment: Experiment, delays: readonly number[], times: readonly number[]) {
  const { qubit, inputs, run } = experiment;
  const detuning = requireNumber(inputs, 'qubit_frequency') - qubit.f01;
  const phasePerNs = requireNumber(run, 'detuning');
  const hpi = played(qubit, loadedPulse(experiment, 'drag_hpi'));
  const equator = play(qubit, equilibrium(qubit), hpi);
  const excited = play(qubit, equator, hpi);
  const fringe = (phase: number) =>
    times.map((time) => {
      const precessed = wait(qubit, equator, { durationNs: time, detuning, t2: qubit.t2Star });
      const rotation = withPhase(hpi.rotation, phase + 2 * Math.PI * phasePerNs * time);
      return excitedPopulation(play(qubit, precessed, { ...hpi, rotation }));
    });
  return {
    decay: delays.map((durationNs) => excitedPopulation(wait(qubit, excited, { durationNs, detuning }))),
    x: fringe(Math.PI),
    y: fringe(Math.PI / 2),
    prepared: PREPARED.map((state) => (state === 0 ? qubit.thermalPopulation : excitedPopulation(excited))),
  };
}

/** Measures round after round, each on the current state of the qubit. */
export const stabilitySimulation: QubitSimulation = {
  measure(experiment) {
    const { run, later } = experiment;
    const rounds = requireNumber(run, 'rounds');
    if (!Number.isSafeInteger(rounds) || rounds < 1 || rounds > STABILITY_ROUNDS.most) {
      throw new Error(`The simulator makes 1 to ${STABILITY_ROUNDS.most} rounds, not ${rounds}.`);
    }
    const interval = requireNumber(run, 'round_interval');
    const [delays, times] = [requireSweep(run, 'delay_range'), requireSweep(run, 'time_range')];
    const settings = readoutSettings(experiment);
    const qubitAt = (round: number): TrueQubit => {
      if (later === undefined) return experiment.qubit;
      // A frequency shift of a group of shots is the same in every round.
      const now = later(round * interval);
      return { ...now, f01: now.f01 + experiment.qubit.f01 - later(0).f01 };
    };
    const signals = Array.from({ length: rounds }, (_, round) => {
      const qubit = qubitAt(round);
      const populations = populationsOf({ ...experiment, qubit }, delays, times);
      const read = (values: readonly number[]) => readOut(qubit, settings, values, experiment.noise);
      return {
        decay: read(populations.decay),
        x: read(populations.x),
        y: read(populations.y),
        prepared: read(populations.prepared),
      };
    });
    const coordinate = (dim: string, values: readonly number[], [unit, long_name]: [string, string]) => ({
      [dim]: { dims: [dim], values: shorten(values), unit, long_name },
    });
    const pair = (name: keyof (typeof signals)[number], dim: string, what: string): Dataset['variables'] => {
      const part = (quadrature: 're' | 'im', long_name: string) => ({
        dims: ['round', dim],
        values: shorten(signals.flatMap((each) => each[name][quadrature])),
        unit: 'a.u.',
        long_name: `${long_name} ${what}`,
      });
      return {
        [`${name}_re`]: part('re', 'In-phase signal'),
        [`${name}_im`]: part('im', 'Quadrature signal'),
      };
    };
    return {
      dims: { round: rounds, delay: delays.length, time: times.length, state: PREPARED.length },
      coordinates: {
        ...coordinate(
          'round',
          signals.map((_, round) => round * interval),
          ['s', 'Start of the round after the first one'],
        ),
        ...coordinate('delay', delays, ['ns', 'Time after the excitation']),
        ...coordinate('time', times, ['ns', 'Free time between the pulses']),
        ...coordinate('state', PREPARED, ['', 'Prepared state: 0 ground, 1 excited']),
      },
      variables: {
        ...pair('decay', 'delay', 'after the excitation'),
        ...pair('x', 'time', 'of the X fringe'),
        ...pair('y', 'time', 'of the Y fringe'),
        ...pair('prepared', 'state', 'of the prepared states'),
      },
    };
  },
};
