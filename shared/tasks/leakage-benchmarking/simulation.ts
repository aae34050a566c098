import { PULSE_RAMP_NS, TARGET_RABI_FREQUENCY_GHZ } from '../../science/conventions/pulse.ts';
import type { Dataset } from '../../science/datasets/model.ts';
import type { TrueQubit } from '../../science/device/device.ts';
import { type DragPulse, dragLeakage } from '../../science/device/drag-pulses.ts';
import { dragGateError } from '../../science/device/gate-errors.ts';
import type { AveragedSignals } from '../../science/device/readout.ts';
import { SECOND_DECAY } from '../../science/device/third-level.ts';
import {
  cliffordDecay,
  PULSES_PER_CLIFFORD,
  sequenceAxes,
  sequencePopulations,
  trialsOf,
} from '../common/simulation/benchmarking-sequences.ts';
import { loadedPulse } from '../common/simulation/drag-experiment.ts';
import { type EfExperiment, efExperiment } from '../common/simulation/ef-experiment.ts';
import type { Experiment, QubitSimulation } from '../common/simulation/model.ts';
import { requireNumber } from '../common/simulation/parameters.ts';
import { shorten } from '../common/simulation/sweeps.ts';

/** Lengths until the population of the second excited state saturates, but not longer than a shot. */
const CLIFFORD_COUNTS = [0, ...Array.from({ length: 9 }, (_, power) => 32 * 2 ** power)];
/**
 * Repetitions of each prepared state. The leaked population is small, so the positions of the states must be precise.
 */
const REPETITIONS = 40;
/** Scatter of the leaked population between sequences by interference of their pulses, as a fraction of the mean. */
const SEQUENCE_SPREAD = 0.1;

/**
 * Probabilities that a Clifford takes the qubit from its two states to the third, and back: by the spectrum of the
 * pulses, which exchanges the second and third level, and by heating and decay between these during the pulses.
 */
export function leakageRates(qubit: TrueQubit, pulse: DragPulse): { leakage: number; seepage: number } {
  const byPulses = PULSES_PER_CLIFFORD * dragLeakage(qubit, pulse);
  const decays = (SECOND_DECAY * PULSES_PER_CLIFFORD * pulse.lengthNs) / (1000 * qubit.t1);
  return {
    // Only the excited half of the qubit's states can leak.
    leakage: byPulses + (decays * qubit.thermalPopulation) / 2,
    seepage: 2 * byPulses + decays * (1 - qubit.thermalPopulation),
  };
}

/** Population of the third level after each number of Cliffords, computed one Clifford at a time. */
function leakedAfter(counts: readonly number[], { leakage, seepage }: ReturnType<typeof leakageRates>) {
  const last = Math.max(...counts);
  const leaked = [0];
  for (let count = 0; count < last; count++) {
    const before = leaked[count] ?? 0;
    leaked.push(before + leakage * (1 - before) - seepage * before);
  }
  return counts.map((count) => leaked[count] ?? 0);
}

/** All three states, several times each. The third state is prepared by a half turn of each transition. */
function prepared(
  { qubit, inputs }: Experiment,
  { ground, excited, drive, readOut }: EfExperiment,
): AveragedSignals {
  const halfTurn = {
    frequency: requireNumber(inputs, 'ef_frequency'),
    rabiFrequency: qubit.maximumRabiFrequency * requireNumber(inputs, 'ef_control_amplitude'),
    flatNs: 1 / (2 * TARGET_RABI_FREQUENCY_GHZ) - PULSE_RAMP_NS,
  };
  const states = [ground, excited, drive(excited, halfTurn)];
  return readOut(states.flatMap((state) => Array.from({ length: REPETITIONS }, () => state)));
}

export const leakageBenchmarkingSimulation: QubitSimulation = {
  measure(experiment): Dataset {
    const { qubit, run, noise } = experiment;
    const trials = trialsOf(run);
    const ef = efExperiment(experiment);
    const references = prepared(experiment, ef);
    const pulse = loadedPulse(experiment, 'drag_hpi');
    const decay = cliffordDecay(dragGateError(qubit, pulse, Math.PI / 2));
    const leaked = leakedAfter(CLIFFORD_COUNTS, leakageRates(qubit, pulse));
    const populations = CLIFFORD_COUNTS.flatMap((count, index) =>
      sequencePopulations(experiment, decay, count, trials).map((inside) => {
        const second = Math.max(0, (leaked[index] ?? 0) * (1 + SEQUENCE_SPREAD * noise.normal()));
        return { excited: inside * (1 - second), second };
      }),
    );
    const signals = ef.readOut(populations);
    const axes = sequenceAxes(CLIFFORD_COUNTS, trials);
    const signal = { dims: ['clifford_count', 'trial'], unit: 'a.u.' };
    const reference = { dims: ['state', 'repetition'], unit: 'a.u.' };
    const what = { signal: 'signal after random Cliffords', reference: 'signal of the prepared states' };
    return {
      dims: { ...axes.dims, state: 3, repetition: REPETITIONS },
      coordinates: {
        ...axes.coordinates,
        state: {
          dims: ['state'],
          values: [0, 1, 2],
          unit: '',
          long_name: 'Prepared state: 0 ground, 1 first excited, 2 second excited',
        },
        repetition: {
          dims: ['repetition'],
          values: Array.from({ length: REPETITIONS }, (_, index) => index),
          unit: '',
          long_name: 'Number of the repetition',
        },
      },
      variables: {
        iq_re: { ...signal, values: shorten(signals.re), long_name: `In-phase ${what.signal}` },
        iq_im: { ...signal, values: shorten(signals.im), long_name: `Quadrature ${what.signal}` },
        reference_re: {
          ...reference,
          values: shorten(references.re),
          long_name: `In-phase ${what.reference}`,
        },
        reference_im: {
          ...reference,
          values: shorten(references.im),
          long_name: `Quadrature ${what.reference}`,
        },
      },
    };
  },
};
