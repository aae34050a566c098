import type { Dataset } from '../../science/datasets/model.ts';
import { SEQUENCE_DEVIATION, sequenceAxes, trialsOf } from '../common/simulation/benchmarking-sequences.ts';
import { czError } from '../common/simulation/flux-experiment.ts';
import { meanAndDeviation } from '../common/simulation/instrument.ts';
import { type JointReadout, jointReadout, PAIR_STATES } from '../common/simulation/joint-readout.ts';
import type { PairExperiment, PairSimulation } from '../common/simulation/model.ts';
import { addReadoutReferences, countsVariable } from '../common/simulation/pair-counts.ts';
import { pairErrorOfHpi, playedZx90, polarisationKept } from '../common/simulation/zx90-gate.ts';

/** Lengths of the sequences in Cliffords: doubled until the survival is that of a mixed state. */
const CLIFFORD_COUNTS = [0, 1, 2, 4, 8, 16, 32, 64, 128];
/** Number of gates in an average two-qubit Clifford, over all 11,520. */
const GATES_PER_CLIFFORD = 1.5;
/**
 * Number of pi/2 pulses in an average Clifford made with each gate. It is smaller with the ZX90, which itself rotates a
 * qubit.
 */
const HPI_PER_CLIFFORD = { zx90: 2.6, cz: 4.3 };
/** Survival of a mixed state. */
const MIXED = 1 / 4;

/** Polarisation that a two-qubit Clifford keeps, with its pi/2 pulses distributed evenly over both qubits. */
function pairCliffordDecay(experiment: PairExperiment, gate: number, pulses: number): number {
  const ofHpi = (['control', 'target'] as const).map((side) =>
    polarisationKept(pairErrorOfHpi(experiment, side)),
  );
  return gate ** GATES_PER_CLIFFORD * ((ofHpi[0] ?? 1) * (ofHpi[1] ?? 1)) ** (pulses / 2);
}

/** Counts of each sequence of one length. The scatter of the survival grows as the state decays. */
function measureLength(
  experiment: PairExperiment,
  readout: JointReadout,
  kept: number,
  trials: number,
): number[][] {
  const { noise } = experiment;
  return Array.from({ length: trials }, () => {
    const polarisation = kept + SEQUENCE_DEVIATION * (1 - kept) * noise.normal();
    const survival = Math.min(1, Math.max(0, MIXED + (1 - MIXED) * polarisation));
    const probabilities = PAIR_STATES.map((state) => (state === 0 ? survival : (1 - survival) / 3));
    return readout.count(probabilities, noise);
  });
}

/** One curve: each length with several sequences, until the survival has fallen to that of a mixed state. */
function measureCurve(
  experiment: PairExperiment,
  readout: JointReadout,
  decay: number,
  trials: number,
): number[][][] {
  const curve: number[][][] = [];
  for (const count of CLIFFORD_COUNTS) {
    const counts = measureLength(experiment, readout, decay ** count, trials);
    curve.push(counts);
    const { mean, deviation } = meanAndDeviation(counts.map(([survived = 0]) => survived / readout.shots));
    if (mean - 0.5 * deviation < MIXED) break;
  }
  return curve;
}

/** Random Cliffords without and with the gate after each. @param gate polarisation that the gate keeps */
function measureBenchmark(experiment: PairExperiment, gate: number, pulses: number): Dataset {
  const trials = trialsOf(experiment.run);
  const readout = jointReadout(experiment);
  const decay = pairCliffordDecay(experiment, gate, pulses);
  const curves = [
    { name: 'counts', of: 'random Cliffords', curve: measureCurve(experiment, readout, decay, trials) },
    {
      name: 'interleaved_counts',
      of: 'random Cliffords with the gate after each',
      curve: measureCurve(experiment, readout, decay * gate, trials),
    },
  ];
  const lengths = Math.max(...curves.map(({ curve }) => curve.length));
  const missing = (curve: readonly number[][][]) =>
    Array.from({ length: (lengths - curve.length) * trials * PAIR_STATES.length }, () => null);
  const variables = curves.map(({ name, of, curve }) => [
    name,
    countsVariable(['clifford_count', 'trial'], [...curve.flat(2), ...missing(curve)], of),
  ]);
  return addReadoutReferences(
    {
      ...sequenceAxes(CLIFFORD_COUNTS.slice(0, lengths), trials),
      variables: Object.fromEntries(variables),
    },
    experiment,
    readout,
  );
}

export const zx90BenchmarkingSimulation: PairSimulation = {
  measure: (experiment) =>
    measureBenchmark(experiment, polarisationKept(playedZx90(experiment).error), HPI_PER_CLIFFORD.zx90),
};

export const czBenchmarkingSimulation: PairSimulation = {
  measure: (experiment) =>
    measureBenchmark(experiment, polarisationKept(czError(experiment)), HPI_PER_CLIFFORD.cz),
};
