import type { DragPulseName } from '../../science/conventions/drag.ts';
import type { Dataset } from '../../science/datasets/model.ts';
import { neighbourError } from '../../science/device/crosstalk-errors.ts';
import { dragGateError } from '../../science/device/gate-errors.ts';
import { type AveragedSignals, readOut } from '../../science/device/readout.ts';
import {
  cliffordDecay,
  PULSES_PER_CLIFFORD,
  sequenceAxes,
  sequencePopulations,
  trialsOf,
} from '../common/simulation/benchmarking-sequences.ts';
import { loadedPulse } from '../common/simulation/drag-experiment.ts';
import { meanAndDeviation, populationScale } from '../common/simulation/instrument.ts';
import type { Experiment, QubitSimulation } from '../common/simulation/model.ts';
import { readoutSettings } from '../common/simulation/parameters.ts';
import { addScaleReferences } from '../common/simulation/scale-references.ts';
import { shorten } from '../common/simulation/sweeps.ts';

/** Lengths of the sequences in Cliffords: doubled until the survival is that of a mixed state. */
const CLIFFORD_COUNTS = [0, ...Array.from({ length: 12 }, (_, power) => 2 ** power)];

/** One curve: each length with several sequences, until the survival has fallen to one half. */
function measureCurve(
  experiment: Experiment,
  decay: number,
  trials: number,
  survival: (re: number, im: number) => number,
): AveragedSignals[] {
  const { qubit, noise } = experiment;
  const settings = readoutSettings(experiment);
  const curve: AveragedSignals[] = [];
  for (const count of CLIFFORD_COUNTS) {
    const populations = sequencePopulations(experiment, decay, count, trials);
    const signals = readOut(qubit, settings, populations, noise);
    curve.push(signals);
    const { mean, deviation } = meanAndDeviation(
      signals.re.map((re, index) => survival(re, signals.im[index] ?? 0)),
    );
    if (mean - 0.5 * deviation < 0.5) break;
  }
  return curve;
}

/** Values of a curve over the given number of lengths; null for lengths that it does not reach. */
function values(
  curve: readonly AveragedSignals[],
  part: 're' | 'im',
  lengths: number,
  trials: number,
): (number | null)[] {
  const measured = curve.flatMap((signals) => shorten(signals[part]));
  return [...measured, ...Array.from({ length: (lengths - curve.length) * trials }, () => null)];
}

/** A second curve besides that of Cliffords alone, and the additional error of each Clifford in it. */
interface SecondCurve {
  name: string;
  text: string;
  furtherError: number;
}

function benchmark(experiment: Experiment, second?: SecondCurve): Dataset {
  const { qubit, run } = experiment;
  const trials = trialsOf(run);
  const pulse = loadedPulse(experiment, 'drag_hpi');
  const references = addScaleReferences({ dims: {}, coordinates: {}, variables: {} }, experiment, pulse, 2);
  const population = populationScale(references);
  // If the states cannot be distinguished, all lengths are measured, and the analysis reports the problem.
  const survival = (re: number, im: number) => (population === null ? 1 : 1 - population(re, im));
  const decay = cliffordDecay(dragGateError(qubit, pulse, Math.PI / 2));
  const curves = [
    { name: 'iq', text: 'random Cliffords', curve: measureCurve(experiment, decay, trials, survival) },
  ];
  if (second !== undefined) {
    const { name, text, furtherError } = second;
    curves.push({
      name,
      text,
      curve: measureCurve(experiment, decay * (1 - 2 * furtherError), trials, survival),
    });
  }
  const lengths = Math.max(...curves.map(({ curve }) => curve.length));
  const variable = { dims: ['clifford_count', 'trial'], unit: 'a.u.' };
  const variables = curves.flatMap(({ name, text, curve }) => [
    [
      `${name}_re`,
      {
        ...variable,
        values: values(curve, 're', lengths, trials),
        long_name: `In-phase signal after ${text}`,
      },
    ] as const,
    [
      `${name}_im`,
      {
        ...variable,
        values: values(curve, 'im', lengths, trials),
        long_name: `Quadrature signal after ${text}`,
      },
    ] as const,
  ]);
  const axes = sequenceAxes(CLIFFORD_COUNTS.slice(0, lengths), trials);
  return {
    dims: { ...axes.dims, ...references.dims },
    coordinates: { ...axes.coordinates, ...references.coordinates },
    variables: { ...Object.fromEntries(variables), ...references.variables },
  };
}

export const randomizedBenchmarkingSimulation: QubitSimulation = {
  measure: (experiment) => benchmark(experiment),
};

function interleaved(experiment: Experiment, pulse: DragPulseName, angle: number): Dataset {
  return benchmark(experiment, {
    name: 'interleaved',
    text: 'random Cliffords with the gate after each',
    furtherError: dragGateError(experiment.qubit, loadedPulse(experiment, pulse), angle),
  });
}

export const x90BenchmarkingSimulation: QubitSimulation = {
  measure: (experiment) => interleaved(experiment, 'drag_hpi', Math.PI / 2),
};

export const x180BenchmarkingSimulation: QubitSimulation = {
  measure: (experiment) => interleaved(experiment, 'drag_pi', Math.PI),
};

/** Random Cliffords, alone and while all neighbours on the line play their own, of one pulse at a time. */
export const simultaneousBenchmarkingSimulation: QubitSimulation = {
  measure(experiment) {
    const { lengthNs } = loadedPulse(experiment, 'drag_hpi');
    const errors = experiment.neighbours().map((pair) => neighbourError(pair, lengthNs));
    return benchmark(experiment, {
      name: 'simultaneous',
      text: 'random Cliffords while the neighbours play theirs',
      furtherError: Math.min(0.5, PULSES_PER_CLIFFORD * errors.reduce((sum, each) => sum + each, 0)),
    });
  },
};
