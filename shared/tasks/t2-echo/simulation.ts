import {
  applyPulse,
  applyPulses,
  type BlochVector,
  equilibrium,
  excitedPopulation,
  wait,
} from '../../science/device/bloch.ts';
import type { TrueQubit } from '../../science/device/device.ts';
import type { Random } from '../../science/device/random.ts';
import { readOut } from '../../science/device/readout.ts';
import { averageSimulation } from '../common/simulation/average.ts';
import type { Experiment, QubitSimulation } from '../common/simulation/model.ts';
import { readoutSettings, requireSweep } from '../common/simulation/parameters.ts';
import { hpiReferences, plainHpi } from '../common/simulation/plain-pulses.ts';
import { withReferenceStates } from '../common/simulation/reference-states.ts';
import { sweepDataset } from '../common/simulation/sweeps.ts';

/** Relative scatter of the dephasing rate from one measurement to the next. */
const DEPHASING_JITTER = 0.06;
/** Step of the free time, of which each half is a multiple of the control's sampling interval. */
const ECHO_STEP_NS = 4;

/** Dephasing fluctuates from one measurement to the next. It cannot raise T2 above 2 T1, the limit by relaxation. */
export function jitterT2(qubit: TrueQubit, random: Random): TrueQubit {
  const relaxation = 1 / (2 * qubit.t1);
  const dephasing = Math.max(0, 1 / qubit.t2Echo - relaxation);
  return { ...qubit, t2Echo: 1 / (relaxation + dephasing * Math.exp(DEPHASING_JITTER * random.normal())) };
}

/** T2 of the exponential decay that has the same coherence as the qubit after this time (µs). */
function timeOfExponential({ t2Echo, echoExponent = 1 }: TrueQubit, time: number): number {
  return time > 0 ? t2Echo * (t2Echo / time) ** (echoExponent - 1) : t2Echo;
}

/** π/2 – τ/2 – π – τ/2 – π/2, with a π pulse made of two π/2 pulses. A coherent qubit ends in the excited state. */
function echoPopulations(experiment: Experiment, times: readonly number[]): number[] {
  const { qubit } = experiment;
  const hpi = plainHpi(experiment);
  const equator = applyPulse(qubit, equilibrium(qubit), hpi);
  return times.map((time) => {
    const t2 = timeOfExponential(qubit, time / 1000);
    const half = (state: BlochVector) =>
      wait(qubit, state, { durationNs: time / 2, detuning: hpi.detuning, t2 });
    const flipped = applyPulses(qubit, half(equator), { ...hpi, phase: Math.PI / 2 }, 2);
    return excitedPopulation(applyPulse(qubit, half(flipped), hpi));
  });
}

/** Free times that the control can play. */
function echoTimes(experiment: Experiment): number[] {
  const times = requireSweep(experiment.run, 'time_range');
  return times.map((time) => Math.max(0, ECHO_STEP_NS * Math.round(time / ECHO_STEP_NS)));
}

export const t2EchoSimulation: QubitSimulation = {
  jitter: jitterT2,

  measure(experiment) {
    const { qubit, noise } = experiment;
    const points = echoTimes(experiment);
    const settings = readoutSettings(experiment);
    const axis = {
      name: 'time',
      longName: 'Free time, half before and half after the flip',
      unit: 'ns',
      points,
    };
    const dataset = sweepDataset(axis, readOut(qubit, settings, echoPopulations(experiment, points), noise));
    const references = readOut(qubit, settings, hpiReferences(experiment), noise);
    return withReferenceStates(dataset, [0, 1], references);
  },
};

/** Several runs, each on the current state of the qubit. */
export const t2EchoAverageSimulation = averageSimulation(t2EchoSimulation, jitterT2);
