import {
  DRAG_ITERATIONS,
  DRAG_PULSES,
  DRAG_SWEEP_TURNS,
  type DragPulseName,
  expectedDragAmplitude,
} from '../../science/conventions/drag.ts';
import { FULL_SCALE } from '../../science/conventions/pulse.ts';
import type { Dataset } from '../../science/datasets/model.ts';
import type { TrueQubit } from '../../science/device/device.ts';
import { type DragPulse, idealBeta } from '../../science/device/drag-pulses.ts';
import { type AveragedSignals, readOut } from '../../science/device/readout.ts';
import { withPhase } from '../../science/quantum/rotations.ts';
import { numberOf } from '../common/parameters.ts';
import { type PlayedPulse, played, populationAfterPulses } from '../common/simulation/drag-experiment.ts';
import { estimateMaximum, estimateRoot, populationScale } from '../common/simulation/instrument.ts';
import type { Experiment, QubitSimulation } from '../common/simulation/model.ts';
import { readoutSettings, requireNumber } from '../common/simulation/parameters.ts';
import { addScaleReferences } from '../common/simulation/scale-references.ts';
import { shorten } from '../common/simulation/sweeps.ts';

const POINTS = 20;
/** The pulses of an amplitude sweep make several turns together. The sweep extends by half a turn to either side. */
const AMPLITUDE_HALF_WIDTH = 0.5 / DRAG_SWEEP_TURNS;
/** ns. */
const BETA_HALF_WIDTH = 2;
/**
 * Anharmonicity of an ordinary transmon, GHz, used if that of the qubit is unknown. The sweep of beta is much wider
 * than the error by this.
 */
const USUAL_ANHARMONICITY = -0.35;

/** Population after the pulses of an amplitude sweep, which make several whole turns together. */
export function amplitudePopulation(qubit: TrueQubit, pulse: DragPulse, name: DragPulseName): number {
  const once = played(qubit, pulse);
  return populationAfterPulses(
    qubit,
    Array.from({ length: DRAG_PULSES[name].perSweep }, () => once),
  );
}

/**
 * Population after a sequence that turns the phase errors of its pulses into a signal: X90 X−90 X90 Y−90, or
 * X180 X−180 Y−90, where the Y−90 is the X180 pulse with half of its amplitude. Without phase errors it is 0.5.
 */
export function betaPopulation(qubit: TrueQubit, pulse: DragPulse, name: DragPulseName): number {
  const x = played(qubit, pulse);
  const phased = (of: PlayedPulse, phase: number): PlayedPulse => ({
    ...of,
    rotation: withPhase(of.rotation, phase),
  });
  const back = phased(x, Math.PI);
  if (name === 'drag_hpi') return populationAfterPulses(qubit, [x, back, x, phased(x, -Math.PI / 2)]);
  const half = played(qubit, { ...pulse, amplitude: pulse.amplitude / 2 });
  return populationAfterPulses(qubit, [x, back, phased(half, -Math.PI / 2)]);
}

function sweepAround(centre: number, halfWidth: number): number[] {
  return Array.from({ length: POINTS }, (_, index) => centre + halfWidth * ((2 * index) / (POINTS - 1) - 1));
}

interface Sweep {
  name: string;
  unit: string;
  longName: string;
  points: number[];
  signals: AveragedSignals;
}

function startPulse(experiment: Experiment, name: DragPulseName): DragPulse {
  const { inputs, run } = experiment;
  const lengthNs = requireNumber(run, `${name}_duration`);
  const amplitude = expectedDragAmplitude(
    DRAG_PULSES[name].angle,
    requireNumber(inputs, 'control_amplitude'),
    lengthNs,
  );
  if (!(amplitude > 0 && amplitude * (1 + AMPLITUDE_HALF_WIDTH) <= FULL_SCALE)) {
    throw new Error(
      `The simulator cannot play a pulse of ${lengthNs} ns: it would need the amplitude ${amplitude.toPrecision(3)}.`,
    );
  }
  const anharmonicity = numberOf(inputs.anharmonicity) ?? USUAL_ANHARMONICITY;
  return {
    amplitude,
    lengthNs,
    beta: idealBeta({ anharmonicity }),
    frequency: requireNumber(inputs, 'qubit_frequency'),
  };
}

/**
 * Sweeps amplitude and beta in turn, each around the value that its previous sweep found. As in an experiment, these values
 * are estimated from the noisy data. All sweeps are in one dataset; the analysis fits the last ones.
 */
function createDrag(experiment: Experiment, name: DragPulseName): Dataset {
  const { qubit, noise } = experiment;
  const settings = readoutSettings(experiment);
  let pulse = startPulse(experiment, name);
  const pulsesToExcite = name === 'drag_hpi' ? 2 : 1;
  const empty: Dataset = { dims: {}, coordinates: {}, variables: {} };
  const population = populationScale(addScaleReferences(empty, experiment, pulse, pulsesToExcite));
  const polarisations = ({ re, im }: AveragedSignals) =>
    population === null ? null : re.map((value, index) => 1 - 2 * population(value, im[index] ?? 0));
  const sweeps: Sweep[] = [];
  const measure = (sweep: Omit<Sweep, 'signals'>, populationAt: (point: number) => number) => {
    const signals = readOut(qubit, settings, sweep.points.map(populationAt), noise);
    sweeps.push({ ...sweep, signals });
    return polarisations(signals);
  };
  for (let iteration = 1; iteration <= DRAG_ITERATIONS; iteration++) {
    const amplitudes = sweepAround(pulse.amplitude, pulse.amplitude * AMPLITUDE_HALF_WIDTH);
    const atAmplitudes = measure(
      {
        name: `amplitude_${iteration}`,
        unit: 'a.u.',
        longName: `Amplitude of the pulses, iteration ${iteration}`,
        points: amplitudes,
      },
      (amplitude) => amplitudePopulation(qubit, { ...pulse, amplitude }, name),
    );
    const period = pulse.amplitude / DRAG_SWEEP_TURNS;
    const maximum = atAmplitudes === null ? null : estimateMaximum(amplitudes, atAmplitudes, period);
    pulse = { ...pulse, amplitude: within(amplitudes, maximum) };
    const betas = sweepAround(pulse.beta, BETA_HALF_WIDTH);
    const atBetas = measure(
      {
        name: `beta_${iteration}`,
        unit: 'ns',
        longName: `Weight of the derivative, iteration ${iteration}`,
        points: betas,
      },
      (beta) => betaPopulation(qubit, { ...pulse, beta }, name),
    );
    pulse = { ...pulse, beta: within(betas, atBetas === null ? null : estimateRoot(betas, atBetas)) };
  }
  return addScaleReferences(datasetOf(sweeps), experiment, pulse, pulsesToExcite);
}

/** The found value if it is within its sweep, otherwise the middle of the sweep. */
function within(points: readonly number[], found: number | null): number {
  const [lowest, highest] = [Math.min(...points), Math.max(...points)];
  return found !== null && found > lowest && found < highest ? found : (lowest + highest) / 2;
}

function datasetOf(sweeps: readonly Sweep[]): Dataset {
  const dataset: Dataset = { dims: {}, coordinates: {}, variables: {} };
  for (const { name, unit, longName, points, signals } of sweeps) {
    dataset.dims[name] = points.length;
    dataset.coordinates[name] = { dims: [name], values: shorten(points), unit, long_name: longName };
    const signal = { dims: [name], unit: 'a.u.' };
    dataset.variables[`${name}_iq_re`] = {
      ...signal,
      values: shorten(signals.re),
      long_name: 'In-phase signal, averaged',
    };
    dataset.variables[`${name}_iq_im`] = {
      ...signal,
      values: shorten(signals.im),
      long_name: 'Quadrature signal, averaged',
    };
  }
  return dataset;
}

export const createDragHpiSimulation: QubitSimulation = {
  measure: (experiment) => createDrag(experiment, 'drag_hpi'),
};
export const createDragPiSimulation: QubitSimulation = {
  measure: (experiment) => createDrag(experiment, 'drag_pi'),
};
