import { SEQUENCES_PER_LENGTH } from '../../science/conventions/benchmarking.ts';
import { datasetProblem } from '../../science/datasets/rules.ts';
import { composeFigure, pointsTrace } from '../../science/figures/compose.ts';
import { type Estimate, estimateText, rateText } from '../../science/fitting/estimate.ts';
import { instrumentFault } from '../../science/fitting/instrument-fault.ts';
import { type PopulationScale, readPopulationScale, rowsOf } from '../../science/fitting/population-scale.ts';
import { subjectOf } from '../common/analysis/figure-text.ts';
import type { Analysis, AnalysisInput } from '../common/analysis/model.ts';
import { lowerR2, withoutFigures } from '../common/analysis/results.ts';
import {
  fitSurvivals,
  gateProblem,
  readSurvival,
  type SurvivalCurve,
  type SurvivalFit,
  type SurvivalFits,
  survivalProblem,
} from '../common/analysis/survival-curve.ts';
import { survivalFigure } from '../common/analysis/survival-figure.ts';
import { numberOf } from '../common/parameters.ts';

/** Factor on the number of sequences in the suggestion of a refusal. */
const MORE_SEQUENCES = 4;

interface FittedCurve {
  curve: SurvivalCurve;
  fitted: SurvivalFit;
}

/** Average fidelity of a gate that keeps the polarisation p: F = 1 − (1 − p) / 2. */
function fidelityOf({ value, error }: Estimate): Estimate {
  return { value: 1 - (1 - value) / 2, error: error / 2 };
}

/** Fits A p^m + C to the survival `iq_re`, `iq_im` over `clifford_count` and `trial`, scaled by both states. */
export function analyseRandomizedBenchmarking(input: AnalysisInput): Analysis {
  const scale = scaleOf(input);
  if (typeof scale === 'string') return unscaled(input, scale);
  const found = fitted(input, ['iq'], scale);
  if (typeof found === 'string') return unscaled(input, found);
  const [standard] = found.curves;
  if (standard === undefined) return unscaled(input, 'there is no curve');
  const { decay, fit } = standard.fitted;
  const refused = survivalProblem(standard.fitted) ?? found.problem ?? standard.fitted.change;
  const fidelity = fidelityOf(decay);
  const text = refused === null ? `F = ${estimateText(fidelity, '')} per Clifford` : 'no usable fit';
  const texts = { found: text, population: '0' } as const;
  const figures = [survivalFigure(input, texts, [{ name: 'data', fitPrefix: '', ...standard }])];
  if (refused !== null) return refusal(input, { r2: fit.r2, figures, refused });
  return {
    outputs: {
      average_gate_fidelity: fidelity,
      depolarizing_rate: { value: 1 - decay.value, error: decay.error },
    },
    r2: fit.r2,
    figures,
  };
}

/**
 * Fits the survival without (`iq`) and with the gate after each Clifford (`interleaved`). The polarisation that the
 * gate itself keeps is the quotient of both decays (https://doi.org/10.1103/PhysRevLett.109.080505).
 */
function analyseInterleaved(input: AnalysisInput, gate: 'x90' | 'x180'): Analysis {
  const scale = scaleOf(input);
  if (typeof scale === 'string') return unscaled(input, scale);
  const found = fitted(input, ['iq', 'interleaved'], scale);
  if (typeof found === 'string') return unscaled(input, found);
  const [standard, interleaved] = found.curves;
  if (standard === undefined || interleaved === undefined) return unscaled(input, 'there are no two curves');
  const [reference, both] = [standard.fitted, interleaved.fitted];
  const { value: kept, error } = found.kept;
  const refused =
    survivalProblem(reference) ??
    survivalProblem(both) ??
    found.problem ??
    gateProblem({ value: 1 - kept, error }, gate);
  const fidelity = fidelityOf(found.kept);
  const label = gate.toUpperCase();
  const text = refused === null ? `F(${label}) = ${estimateText(fidelity, '')}` : 'no usable fit';
  const figures = [
    survivalFigure(input, { found: text, population: '0' }, [
      { name: 'Cliffords', fitPrefix: '', ...standard },
      { name: `with ${label}`, fitPrefix: `${label} `, ...interleaved },
    ]),
  ];
  const r2 = lowerR2(reference.fit.r2, both.fit.r2);
  if (refused !== null) return refusal(input, { r2, figures, refused });
  return {
    outputs: {
      [`${gate}_gate_fidelity`]: fidelity,
      [`${gate}_depolarizing_rate`]: { value: 1 - kept, error },
    },
    r2,
    figures,
  };
}

export const analyseX90Benchmarking = (input: AnalysisInput) => analyseInterleaved(input, 'x90');
export const analyseX180Benchmarking = (input: AnalysisInput) => analyseInterleaved(input, 'x180');

/**
 * Fits the survival of a qubit alone (`iq`) and while its neighbours are driven (`simultaneous`). The error added by
 * the neighbours is the quotient of both decays (https://doi.org/10.1103/PhysRevLett.109.240504); zero, within its
 * error, is a valid result.
 */
export function analyseSimultaneousBenchmarking(input: AnalysisInput): Analysis {
  const scale = scaleOf(input);
  if (typeof scale === 'string') return unscaled(input, scale);
  const found = fitted(input, ['iq', 'simultaneous'], scale);
  if (typeof found === 'string') return unscaled(input, found);
  const [alone, together] = found.curves;
  if (alone === undefined || together === undefined) return unscaled(input, 'there are no two curves');
  const refused = survivalProblem(alone.fitted) ?? survivalProblem(together.fitted) ?? found.problem;
  const added = { value: (1 - found.kept.value) / 2, error: found.kept.error / 2 };
  const text = refused === null ? `neighbours add ${rateText(added)} per Clifford` : 'no usable fit';
  const figures = [
    survivalFigure(input, { found: text, population: '0' }, [
      { name: 'alone', fitPrefix: '', ...alone },
      { name: 'neighbours driven', fitPrefix: 'neighbours driven: ', ...together },
    ]),
  ];
  const r2 = lowerR2(alone.fitted.fit.r2, together.fitted.fit.r2);
  if (refused !== null) return refusal(input, { r2, figures, refused });
  return {
    outputs: {
      simultaneous_gate_fidelity: fidelityOf(together.fitted.decay),
      crosstalk_error: added,
    },
    r2,
    figures,
  };
}

/** A refusal that suggests more sequences, because most of the noise is their scatter. */
function refusal(
  { runParameters: { n_trials: trials } }: AnalysisInput,
  found: Pick<Analysis, 'r2' | 'figures'> & { refused: string },
): Analysis {
  const more = Math.min(MORE_SEQUENCES * (numberOf(trials) ?? Number.NaN), SEQUENCES_PER_LENGTH.most);
  const suggestion = {
    run: { n_trials: { value: more, value_type: 'int' } },
    reason: 'the decay is lost in the scatter of random sequences',
  };
  return { outputs: {}, ...found, ...(Number.isFinite(more) && { suggestion }) };
}

function scaleOf({ dataset }: AnalysisInput): PopulationScale | string {
  return datasetProblem(dataset) ?? readPopulationScale(dataset);
}

/** Curves with their fits, and their common result. */
type Fitted = Pick<SurvivalFits, 'kept' | 'problem'> & { curves: FittedCurve[] };

function fitted(input: AnalysisInput, names: readonly string[], scale: PopulationScale): Fitted | string {
  const curves: SurvivalCurve[] = [];
  for (const name of names) {
    const curve = readSurvival(input.dataset, name, scale);
    if (typeof curve === 'string') return curve;
    curves.push(curve);
  }
  const { each, kept, problem } = fitSurvivals(curves, scale);
  return {
    kept,
    problem: instrumentFault(input.dataset, names, scale) ?? problem,
    curves: each.flatMap((fit, index) => {
      const curve = curves[index];
      return curve === undefined ? [] : [{ curve, fitted: fit }];
    }),
  };
}

/** The raw signals, for a dataset whose prepared states give no scale. */
function unscaled(input: AnalysisInput, refused: string): Analysis {
  const { task, qid, dataset } = input;
  const counts = dataset.coordinates.clifford_count?.values ?? [];
  const data = ['re', 'im'].flatMap((part) => {
    const rows = rowsOf(dataset, `iq_${part}`, ['clifford_count', 'trial']) ?? [];
    const points = rows.flatMap((row, index) =>
      row.flatMap((value) => {
        const count = counts[index];
        return typeof value === 'number' && typeof count === 'number' ? [{ count, value }] : [];
      }),
    );
    const trace = pointsTrace(
      part === 're' ? 'I' : 'Q',
      points.map(({ count }) => count),
      points.map(({ value }) => value),
    );
    return points.length > 0 ? [trace] : [];
  });
  if (data.length === 0) return withoutFigures(refused);
  const figure = composeFigure(data, {
    title: `${subjectOf({ task, qid })} · no usable scale`,
    x: 'Number of Cliffords',
    y: 'Signal of each sequence (a.u.)',
  });
  return { outputs: {}, r2: null, figures: [figure], refused };
}
