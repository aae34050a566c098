import type { TrueQubit } from '../../science/device/device.ts';
import type { Random } from '../../science/device/random.ts';
import { readOut } from '../../science/device/readout.ts';
import {
  drivenTransition,
  populationAfter,
  readoutSettings,
  requireNumber,
  requireSweep,
  shorten,
  sweepDataset,
  type TaskPhysics,
} from '../common/simulation/physics.ts';

/** Relative scatter of T1 from one measurement to the next. */
const T1_JITTER = 0.07;

/** T1 fluctuates from one measurement to the next. */
export function jitterT1(qubit: TrueQubit, random: Random): TrueQubit {
  return { ...qubit, t1: qubit.t1 * Math.exp(T1_JITTER * random.normal()) };
}

/**
 * Excites with two pi/2 pulses and waits. Beside the decay it measures both states without waiting,
 * which tells the analysis where population 0 and 1 lie.
 */
export const t1Physics: TaskPhysics = {
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
        qubit.thermalPopulation + (excited - qubit.thermalPopulation) * Math.exp(-waitNs / (qubit.t1 * 1000)),
    );
    const settings = readoutSettings(experiment);
    const axis = {
      name: 'time',
      longName: 'Waiting time between excitation and readout',
      unit: 'ns',
      points,
    };
    const dataset = sweepDataset(axis, readOut(qubit, settings, populations, noise));
    const reference = readOut(qubit, settings, [qubit.thermalPopulation, excited], noise);
    const state = { dims: ['state'], unit: 'a.u.' };
    return {
      dims: { ...dataset.dims, state: 2 },
      coordinates: {
        ...dataset.coordinates,
        state: {
          dims: ['state'],
          values: [0, 1],
          unit: '',
          long_name: 'Prepared state: 0 ground, 1 excited',
        },
      },
      variables: {
        ...dataset.variables,
        reference_re: {
          ...state,
          values: shorten(reference.re),
          long_name: 'In-phase signal of the prepared states',
        },
        reference_im: {
          ...state,
          values: shorten(reference.im),
          long_name: 'Quadrature signal of the prepared states',
        },
      },
    };
  },
};
