import { ALL_XY_PAIRS } from '../../science/conventions/all-xy.ts';
import { readComplexSweep } from '../../science/datasets/rules.ts';
import { composeFigure, errorBarsTrace, lineTrace, pointsTrace } from '../../science/figures/compose.ts';
import type { Figure } from '../../science/figures/model.ts';
import { type AllXyFit, allXyPolarisations, fitAllXy } from '../../science/fitting/all-xy.ts';
import { type Estimate, estimateText } from '../../science/fitting/estimate.ts';
import { instrumentFault } from '../../science/fitting/instrument-fault.ts';
import { POLARISATION_LEVELS, signalDeviations } from '../../science/fitting/measurement-noise.ts';
import { readPopulationScale } from '../../science/fitting/population-scale.ts';
import { sweepProblem } from '../../science/fitting/sweep-problem.ts';
import { fitName, subjectOf } from '../common/analysis/figure-text.ts';
import { fitJudged, type JudgedFit, parameterEstimate } from '../common/analysis/judged-fit.ts';
import type { Analysis, AnalysisInput } from '../common/analysis/model.ts';
import { withoutFigures } from '../common/analysis/results.ts';
import { numberOf } from '../common/parameters.ts';

/** Maximum uncertainty of the amplitude error. With a larger one, the result says nothing about the pulses. */
const LARGEST_ERROR = 0.05;

/**
 * Fits the polarisations `iq_re`, `iq_im` over `pair`, scaled by both prepared states, with a common amplitude error
 * and a detuning. Each of them shifts the steps of the staircase in a different pattern.
 */
export function analyseAllXy(input: AnalysisInput): Analysis {
  const { dataset, inputs, runParameters } = input;
  const sweep = readComplexSweep(dataset, 'pair', 'iq');
  if (typeof sweep === 'string') return withoutFigures(sweep);
  const unusable = sweepProblem(sweep);
  if (unusable !== null) return withoutFigures(unusable);
  const scale = readPopulationScale(dataset);
  if (typeof scale === 'string') return withoutFigures(scale);
  const lengths = {
    half: numberOf(inputs.drag_pi_length) ?? 0,
    quarter: numberOf(inputs.drag_hpi_length) ?? 0,
  };
  if (!(lengths.half > 0 && lengths.quarter > 0))
    return withoutFigures('the lengths of the pulses are unknown');
  const strangers = sweep.x.filter((place) => ALL_XY_PAIRS[place] === undefined);
  if (strangers.length > 0) return withoutFigures(`there is no pair with the number ${strangers[0]}`);
  const z = sweep.re.map((re, index) => 1 - 2 * scale.population(re, sweep.im[index] ?? 0));
  const pick = (values: readonly number[], indices: readonly number[]) =>
    indices.map((index) => values[index] ?? 0);
  const judged = fitJudged<AllXyFit>({
    y: z,
    across: 2 * scale.across,
    fitTo: (indices, sigma) => fitAllXy(pick(sweep.x, indices), pick(z, indices), lengths, sigma),
    deviations: ({ fitted }) =>
      signalDeviations(fitted, POLARISATION_LEVELS, 2 * scale.across, numberOf(runParameters.shots)),
  });
  const { fit } = judged.found;
  const [amplitude, detuning] = [parameterEstimate(fit, 0), parameterEstimate(fit, 1)];
  const inMhz = { value: 1000 * detuning.value, error: 1000 * detuning.error };
  const fault = instrumentFault(dataset, ['iq'], scale);
  const refused = !fit.ok
    ? fit.message
    : amplitude.error < LARGEST_ERROR && Number.isFinite(inMhz.error)
      ? (fault ?? judged.judgement?.problem ?? null)
      : `the staircase is lost in noise: the error of the amplitude would be ${estimateText(amplitude, '')}`;
  const found = refused === null ? { amplitude, detuning: inMhz } : undefined;
  const figures = [staircase(input, { places: sweep.x, z, lengths }, judged, found)];
  if (refused !== null) return { outputs: {}, r2: fit.r2, figures, refused };
  return { outputs: { allxy_amplitude_error: amplitude, allxy_detuning: inMhz }, r2: fit.r2, figures };
}

function staircase(
  { task, qid }: AnalysisInput,
  {
    places,
    z,
    lengths,
  }: { places: number[]; z: number[]; lengths: Parameters<typeof allXyPolarisations>[0] },
  { found, kept, sigma }: JudgedFit<AllXyFit>,
  values: Record<'amplitude' | 'detuning', Estimate> | undefined,
): Figure {
  const pick = (all: readonly number[]) => kept.map((index) => all[index] ?? 0);
  const [x, y] = [pick(places), pick(z)];
  const all = ALL_XY_PAIRS.map((_, place) => place);
  const data = [
    sigma === undefined ? pointsTrace('data', x, y) : errorBarsTrace('data', x, y, sigma),
    ...(found.fit.ok ? [lineTrace(fitName(found.fit.r2), all, all.map(found.evaluate))] : []),
    {
      ...lineTrace('perfect pulses', all, allXyPolarisations(lengths, 0, 0)),
      line: { dash: 'dash' as const },
    },
  ];
  const percent = (each: Estimate) => ({ value: 100 * each.value, error: 100 * each.error });
  const resultText =
    values === undefined
      ? 'no usable fit'
      : `amplitude ${estimateText(percent(values.amplitude), '%')}, detuning ${estimateText(values.detuning, 'MHz')}`;
  return composeFigure(data, {
    title: `${subjectOf({ task, qid })} · ${resultText}`,
    x: 'Pair of pulses (capitals half a turn)',
    y: 'Polarisation (1 ground, −1 excited)',
    xLabels: ALL_XY_PAIRS.map((pair) => pair.join('')),
  });
}
