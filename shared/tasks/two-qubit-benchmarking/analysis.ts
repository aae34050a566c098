import { datasetProblem } from '../../science/datasets/rules.ts';
import { type Estimate, estimateText } from '../../science/fitting/estimate.ts';
import { repeatedCounts } from '../../science/fitting/repeated-counts.ts';
import type { Analyse, Analysis, AnalysisInput } from '../common/analysis/model.ts';
import { type PairReadout, readCounts, readPairReadout } from '../common/analysis/pair-readout.ts';
import { lowerR2, withoutFigures } from '../common/analysis/results.ts';
import {
  fitSurvivalsTo,
  gateProblem,
  type SurvivalCurve,
  survivalCurve,
  survivalProblem,
} from '../common/analysis/survival-curve.ts';
import { survivalFigure } from '../common/analysis/survival-figure.ts';

/** Average fidelity of a two-qubit gate that keeps the polarisation p: F = 1 − (3/4) (1 − p). */
function fidelityOf({ value, error }: Estimate): Estimate {
  return { value: 1 - (3 / 4) * (1 - value), error: (3 / 4) * error };
}

/**
 * Fits A p^m + C to the population of 00 without (`counts`) and with the gate after each Clifford
 * (`interleaved_counts`). Readout errors are corrected, and both fits share A and C. The ratio of the two p is that of
 * the gate.
 */
function analyseGate(input: AnalysisInput, gate: 'ZX90' | 'CZ'): Analysis {
  const problem = datasetProblem(input.dataset);
  const readout = problem ?? readPairReadout(input.dataset);
  if (typeof readout === 'string') return withoutFigures(readout);
  const curves = ['counts', 'interleaved_counts'].map((name) => readCurve(input, name, readout));
  const [standard, interleaved] = curves;
  if (standard === undefined || interleaved === undefined) return withoutFigures('there are no curves');
  if (typeof standard === 'string') return withoutFigures(standard);
  if (typeof interleaved === 'string') return withoutFigures(interleaved);
  // In a mixed state, a quarter of the population is in 00; the prepared states show it with the error of their shots.
  const found = fitSurvivalsTo([standard, interleaved], readout.ofMixedState([1, 0, 0, 0]));
  const [reference, both] = found.each;
  if (reference === undefined || both === undefined) return withoutFigures('there are no fits');
  const { value: kept, error } = found.kept;
  const refused =
    survivalProblem(reference) ??
    survivalProblem(both) ??
    found.problem ??
    gateProblem({ value: 1 - kept, error }, gate);
  const fidelity = fidelityOf(found.kept);
  const text = refused === null ? `F(${gate}) = ${estimateText(fidelity, '')}` : 'no usable fit';
  const figure = survivalFigure(input, { found: text, population: '00' }, [
    { name: 'Cliffords', fitPrefix: '', curve: standard, fitted: reference },
    { name: `with ${gate}`, fitPrefix: `${gate} `, curve: interleaved, fitted: both },
  ]);
  const r2 = lowerR2(reference.fit.r2, both.fit.r2);
  if (refused !== null) return { outputs: {}, r2, figures: [figure], refused };
  return {
    outputs: {
      [`${gate.toLowerCase()}_gate_fidelity`]: fidelity,
      [`${gate.toLowerCase()}_depolarizing_rate`]: { value: 1 - kept, error },
    },
    r2,
    figures: [figure],
  };
}

/** Benchmarks of the ZX90 gate and of the CZ gate. */
export const analyseZx90Benchmarking: Analyse = (input) => analyseGate(input, 'ZX90');
export const analyseCzBenchmarking: Analyse = (input) => analyseGate(input, 'CZ');

/** Survival over `clifford_count` and `trial`; a message if it cannot be read. */
function readCurve({ dataset }: AnalysisInput, name: string, readout: PairReadout): SurvivalCurve | string {
  const counts = dataset.coordinates.clifford_count?.values ?? [];
  const trials = dataset.dims.trial ?? 0;
  const rows = readCounts(dataset, name);
  if (rows === undefined || rows.length !== counts.length * trials) {
    return `the dataset has no ${name} over clifford_count, trial and outcome`;
  }
  const fault = repeatedCounts(rows);
  if (fault !== null) return fault;
  return survivalCurve(
    counts.map((count, row) => ({
      count,
      survivals: rows
        .slice(row * trials, (row + 1) * trials)
        .flatMap((outcome) => (outcome === null ? [] : [readout.populations(outcome)[0] ?? Number.NaN])),
    })),
  );
}
