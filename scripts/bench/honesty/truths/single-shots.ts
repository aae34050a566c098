import type { TrueQubit } from '../../../../shared/science/device/device.ts';
import { idealBeta } from '../../../../shared/science/device/drag-pulses.ts';
import { drivenTransition, populationAfter } from '../../../../shared/science/device/driven-transition.ts';
import { normalCumulative } from '../../../../shared/science/device/normal-distribution.ts';
import {
  flipProbability,
  type ReadoutSettings,
  separation,
  shotNoise,
} from '../../../../shared/science/device/readout.ts';
import { played, populationAfterPulses } from '../../../../shared/tasks/common/simulation/drag-experiment.ts';
import { DEFAULT_FIDELITY_FRACTION } from '../../../../shared/tasks/optimal-readout-amplitude/definition.ts';
import type { StoredValues, Trial, Truths } from '../model.ts';

/** Number of slices of the readout. A decay may happen in the middle of each. */
const DECAYS = 200;

/** The result of one readout, and the state after it. */
export interface Reading {
  /** Probability of reading 1. */
  one: number;
  /** Probability that the qubit is excited afterwards and was read as 0, or as 1. */
  left: readonly [number, number];
}

/** Reads a qubit with this population. `threshold`: from the ground state (0) to the excited one (1). */
export function reading(
  qubit: TrueQubit,
  settings: ReadoutSettings,
  population: number,
  threshold = 0.5,
): Reading {
  const distance = separation(qubit, settings);
  const noise = shotNoise(qubit, settings);
  const rate = settings.lengthNs / (1000 * qubit.t1);
  const readAs1 = (part: number) => normalCumulative(((part - threshold) * distance) / noise);
  let decayed = 0;
  for (let slice = 0; slice < DECAYS; slice++) {
    const part = (slice + 0.5) / DECAYS;
    decayed += ((rate * Math.exp(-rate * part)) / DECAYS) * readAs1(part);
  }
  const excited = afterFlips(settings, population);
  const stays = excited * Math.exp(-rate);
  const as1 = readAs1(1);
  return {
    one: (1 - excited) * readAs1(0) + stays * as1 + excited * decayed,
    left: [stays * (1 - as1), stays * as1],
  };
}

/** Strong readout flips the qubit before the measurement. */
function afterFlips(settings: ReadoutSettings, population: number): number {
  const flips = flipProbability(settings);
  return population * (1 - flips) + (1 - population) * flips;
}

/** Settings of the readout of a single shot. */
export function readoutOf(stored: StoredValues): ReadoutSettings {
  return {
    frequency: stored.readout_frequency ?? Number.NaN,
    amplitude: stored.readout_amplitude ?? Number.NaN,
    lengthNs: stored.readout_length ?? Number.NaN,
    shots: 1,
  };
}

/** Both prepared states: untouched, and after two pi/2 pulses. */
function preparedStates({ qubit, stored }: Pick<Trial, 'qubit' | 'stored'>) {
  const pulse = played(qubit, {
    amplitude: stored.drag_hpi_amplitude ?? Number.NaN,
    lengthNs: stored.drag_hpi_length ?? Number.NaN,
    beta: stored.drag_hpi_beta ?? idealBeta(qubit),
    frequency: stored.qubit_frequency ?? qubit.f01,
  });
  return { prepared: [qubit.thermalPopulation, populationAfterPulses(qubit, [pulse, pulse])], pulse };
}

const NS_PER_US = 1000;

/** A population after a pause of the given length in ns. */
function relaxed(qubit: TrueQubit, population: number, pauseNs: number): number {
  const kept = Math.exp(-pauseNs / (NS_PER_US * qubit.t1));
  return population * kept + qubit.thermalPopulation * (1 - kept);
}

const numberIn = ({ run }: Trial, name: string) => Number(run[name]?.value);

export const classification: Truths = (trial) => {
  const [ground = 0, excited = 0] = preparedStates(trial).prepared.map(
    (population) => reading(trial.qubit, readoutOf(trial.stored), population).one,
  );
  return {
    readout_fidelity_0: 1 - ground,
    readout_fidelity_1: excited,
    average_readout_fidelity: (1 - ground + excited) / 2,
  };
};

/** Distances from the line between both states at which shots are evaluated, in standard deviations. */
const BESIDE = Array.from({ length: 81 }, (_, index) => (index - 40) / 8);

/** The same if shots of the prepared excited state scatter more by this factor. The likelier state is read. */
export function widenedClassification(widening: number): Truths {
  return (trial) => {
    const settings = readoutOf(trial.stored);
    const noise = shotNoise(trial.qubit, settings) / separation(trial.qubit, settings);
    const rate = settings.lengthNs / (NS_PER_US * trial.qubit.t1);
    const squared = widening ** -2;
    // A shot more likely belongs to the wide state if it is right of one root of a x² + 2 b x + c or left of the other.
    const readAs1 = (place: number, deviation: number) => {
      const [a, b] = [1 - squared, squared];
      let [sum, all] = [0, 0];
      for (const beside of BESIDE) {
        const density = Math.exp(-(beside ** 2) / 2);
        const c = a * (beside * deviation) ** 2 - squared - 4 * Math.log(widening) * noise ** 2;
        const root = Math.sqrt(Math.max(0, b ** 2 - a * c));
        const [left, right] = [(-b - root) / a, (-b + root) / a];
        const one =
          1 - normalCumulative((right - place) / deviation) + normalCumulative((left - place) / deviation);
        sum += density * (root > 0 ? one : 1);
        all += density;
      }
      return sum / all;
    };
    const read = preparedStates(trial).prepared.map((population, state) => {
      const excited = afterFlips(settings, population);
      const wide = state === 1 ? widening : 1;
      const as1 = (part: number) => readAs1(1 + wide * (part - 1), wide * noise);
      const slices = Array.from({ length: DECAYS }, (_, slice) => (slice + 0.5) / DECAYS);
      const decayed = slices.reduce(
        (sum, part) => sum + ((rate * Math.exp(-rate * part)) / DECAYS) * as1(part),
        0,
      );
      return (1 - excited) * as1(0) + excited * Math.exp(-rate) * as1(1) + excited * decayed;
    });
    const [ground = 0, excited = 0] = read;
    return {
      readout_fidelity_0: 1 - ground,
      readout_fidelity_1: excited,
      average_readout_fidelity: (1 - ground + excited) / 2,
    };
  };
}

export const qnd: Truths = (trial) => {
  const { qubit, stored } = trial;
  const settings = readoutOf(stored);
  const first = preparedStates(trial).prepared.map((population) => reading(qubit, settings, population));
  const again = (state: 0 | 1) => {
    const all = first.reduce((sum, { one }) => sum + (state === 1 ? one : 1 - one), 0);
    const excited = first.reduce((sum, { left }) => sum + left[state], 0) / all;
    const { one } = reading(qubit, settings, relaxed(qubit, excited, numberIn(trial, 'pause')));
    return state === 1 ? one : 1 - one;
  };
  const [same0, same1] = [again(0), again(1)];
  return {
    assignment_error_0: first[0]?.one ?? Number.NaN,
    assignment_error_1: 1 - (first[1]?.one ?? Number.NaN),
    qnd_fidelity: (same0 + same1) / 2,
    qnd_fidelity_0: same0,
    qnd_fidelity_1: same1,
  };
};

export const reset: Truths = (trial) => {
  const { qubit, stored } = trial;
  const settings = readoutOf(stored);
  const { prepared, pulse } = preparedStates(trial);
  // Probability that the pi pulse flips each of the two states.
  const [up, down] = [0, 1].map((thermalPopulation) => {
    const end = populationAfterPulses({ ...qubit, thermalPopulation }, [pulse, pulse]);
    return thermalPopulation === 0 ? end : 1 - end;
  });
  // The instrument's threshold is midway between the means of the prepared states, which include decays during the readout.
  const rate = settings.lengthNs / (NS_PER_US * qubit.t1);
  const seen = (1 - Math.exp(-rate)) / rate;
  const threshold = prepared.reduce(
    (sum, population) => sum + (seen * afterFlips(settings, population)) / prepared.length,
    0,
  );
  const [ground = 0, excited = 0] = prepared.map((population) => {
    const { one, left } = reading(qubit, settings, population, threshold);
    const latency = numberIn(trial, 'latency');
    const ends = ([0, 1] as const).map((state) => {
      const share = state === 1 ? one : 1 - one;
      const waited = relaxed(qubit, left[state] / share, latency);
      const turned = waited * (1 - (down ?? 0)) + (1 - waited) * (up ?? 0);
      return share * (state === 1 ? turned : waited);
    });
    return afterFlips(
      settings,
      ends.reduce((sum, each) => sum + each, 0),
    );
  });
  return {
    reset_residual_population: (ground + excited) / 2,
    reset_residual_0: ground,
    reset_residual_1: excited,
  };
};

/** Length of the exciting pulse before the readout in ns, and the fraction of the best fidelity that is enough. */
const EXCITING_NS = 40;
const ENOUGH = DEFAULT_FIDELITY_FRACTION;

/** Average fraction of single shots that a threshold midway between both mean signals assigns correctly. */
export function bestFidelity(qubit: TrueQubit, settings: ReadoutSettings, excited: number): number {
  const rate = settings.lengthNs / (NS_PER_US * qubit.t1);
  const kept = (1 - Math.exp(-rate)) / rate;
  const populations = [qubit.thermalPopulation, excited];
  const middle = populations.reduce((sum, each) => sum + (kept * afterFlips(settings, each)) / 2, 0);
  const [ground = 0, one = 0] = populations.map(
    (population) => reading(qubit, settings, population, middle).one,
  );
  return (1 - ground + one) / 2;
}

/** Smallest amplitude that reaches 99 % of the best fidelity at any amplitude. */
export const optimalAmplitude: Truths = ({ qubit, stored }) => {
  const excited = populationAfter(
    qubit,
    drivenTransition(qubit, {
      rabiFrequency: qubit.maximumRabiFrequency * (stored.control_amplitude ?? Number.NaN),
      detuning: (stored.qubit_frequency ?? Number.NaN) - qubit.f01,
      durationNs: EXCITING_NS,
    }),
  );
  const curve = Array.from({ length: 480 }, (_, index) => 0.01 + index * 0.0005).map((amplitude) => ({
    amplitude,
    fidelity: bestFidelity(qubit, { ...readoutOf(stored), amplitude }, excited),
  }));
  const best = Math.max(...curve.map(({ fidelity }) => fidelity));
  const enough = curve.find(({ fidelity }) => fidelity >= ENOUGH * best);
  return { readout_amplitude: enough?.amplitude ?? Number.NaN };
};
