import type { TrueQubit } from '../../science/device/device.ts';
import { drivenTransition, populationAfter } from '../../science/device/driven-transition.ts';
import type { Random } from '../../science/device/random.ts';
import { readOut } from '../../science/device/readout.ts';
import { averageSimulation } from '../common/simulation/average.ts';
import type { QubitSimulation } from '../common/simulation/model.ts';
import { readoutSettings, requireNumber, requireSweep } from '../common/simulation/parameters.ts';
import { withReferenceStates } from '../common/simulation/reference-states.ts';
import { sweepDataset } from '../common/simulation/sweeps.ts';

/** Relative scatter of T1 from one measurement to the next. */
const T1_JITTER = 0.07;

/** T1 fluctuates from one measurement to the next. */
function jitterT1(qubit: TrueQubit, random: Random): TrueQubit {
  return { ...qubit, t1: qubit.t1 * Math.exp(T1_JITTER * random.normal()) };
}

/**
 * Remaining fraction of an excess population after a time (µs). With a Poisson-distributed number of quasiparticles it
 * is e^(n (e^(−t/T1qp) − 1)) e^(−t/T1).
 */
function leftExcited({ t1, quasiparticles }: TrueQubit, time: number): number {
  const { mean, t1: perQuasiparticle } = quasiparticles ?? { mean: 0, t1 };
  return Math.exp(-time / t1 + mean * (Math.exp(-time / perQuasiparticle) - 1));
}

/**
 * Excites the qubit with two pi/2 pulses and waits. Also measures both states without waiting, from which the analysis
 * knows the signals of population 0 and 1.
 */
export const t1Simulation: QubitSimulation = {
  jitter: jitterT1,

  measure(experiment) {
    const { qubit, inputs, run, noise } = experiment;
    const points = requireSweep(run, 'time_range');
    const effectiveNs = Math.max(0, requireNumber(inputs, 'hpi_length') - qubit.rampNs);
    const excited = populationAfter(
      qubit,
      drivenTransition(qubit, {
        rabiFrequency: qubit.maximumRabiFrequency * requireNumber(inputs, 'hpi_amplitude'),
        detuning: requireNumber(inputs, 'qubit_frequency') - qubit.f01,
        durationNs: 2 * effectiveNs,
      }),
    );
    const populations = points.map(
      (waitNs) =>
        qubit.thermalPopulation + (excited - qubit.thermalPopulation) * leftExcited(qubit, waitNs / 1000),
    );
    const settings = readoutSettings(experiment);
    const axis = {
      name: 'time',
      longName: 'Waiting time between excitation and readout',
      unit: 'ns',
      points,
    };
    const dataset = sweepDataset(axis, readOut(qubit, settings, populations, noise));
    const references = readOut(qubit, settings, [qubit.thermalPopulation, excited], noise);
    return withReferenceStates(dataset, [0, 1], references);
  },
};

/** Fraction of the runs in which a defect is in resonance with the qubit. */
const DEFECT_SHARE = 0.3;

/** T1 of one run. It scatters, and jumps if a defect switches. */
function t1OfRun(qubit: TrueQubit, random: Random): TrueQubit {
  const shortened = random.uniform() < DEFECT_SHARE ? qubit.telegraphFactor : 1;
  return jitterT1({ ...qubit, t1: qubit.t1 * shortened }, random);
}

/** Average T1 over many runs. */
export function expectedT1(qubit: TrueQubit): number {
  return qubit.t1 * (1 - DEFECT_SHARE + DEFECT_SHARE * qubit.telegraphFactor);
}

/** Several runs, each on the current state of the qubit. */
export const t1AverageSimulation = averageSimulation(t1Simulation, t1OfRun);
