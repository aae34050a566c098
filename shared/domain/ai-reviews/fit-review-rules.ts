import type { Figure } from '../../science/figures/model.ts';
import type { TaskDefinition } from '../../tasks/model.ts';
import type { TaskResultDocument } from '../results/model.ts';
import type { Verdict } from './model.ts';

/** Increment with every change of these rules, so that reviews record which rules they followed. */
export const RULES_VERSION = 'fit-quality 2';

/** What a result is judged by. */
export interface Evidence {
  task: Pick<TaskDefinition, 'name' | 'r2Threshold' | 'outputs'>;
  result: Pick<TaskResultDocument, 'status' | 'message' | 'output_parameters' | 'quality_metrics'>;
  /** The marked figure of the result; null if it has none. */
  figure: Pick<Figure, 'data' | 'layout'> | null;
  /** Earlier values of each output on the same target, newest first. */
  history: Readonly<Record<string, readonly number[]>>;
}

type Severity = 'note' | 'review';

interface Finding {
  severity: Severity;
  label: string;
  /** Outputs that the finding casts doubt on; all outputs if empty. */
  outputs: readonly string[];
  reason: string;
  action: string;
}

/** The task that finds a qubit or shows that there is no signal, and the names of its frequency outputs. */
const QUBIT_SPECTROSCOPY = 'CheckQubitSpectroscopy';
const QUBIT_FREQUENCIES = [
  'coarse_qubit_frequency',
  'coarse_qubit_frequency_ghz',
  'f01_frequency',
  'f01_frequency_ghz',
];

/** Fraction of the range between the r2 threshold and a perfect fit in which a fit counts as weak. */
const WEAK_FIT = 0.25;
/** Fraction of a sweep that counts as its edge. */
const EDGE = 0.02;
/** Minimum number of points of a curve for judging its residuals. */
const MIN_POINTS = 12;
/** Correlation of neighbouring residuals above which the model does not follow the data. */
const CORRELATED = 0.6;
/** Number of robust deviations from which a residual counts as an outlier. */
const OUTLIER = 6;
/** Minimum number of earlier values for detecting a step, and its minimum size in deviations and as a fraction of the value. */
const MIN_EARLIER = 3;
const STEP_DEVIATIONS = 6;
const STEP_FLOOR = 0.002;

/**
 * Judges a result by fixed rules: whether it has outputs, how good the fit is, its residuals, whether a value lies at an edge,
 * and whether it jumped. The same evidence always gives the same verdict.
 */
export function reviewByRules(evidence: Evidence): Verdict {
  const { result } = evidence;
  const names = Object.keys(result.output_parameters);
  if (result.status !== 'completed' || hasNoValue(evidence)) return refused(evidence);
  const findings = [
    ...fitFindings(evidence),
    ...residualFindings(evidence),
    ...edgeFindings(evidence),
    ...stepFindings(evidence),
  ];
  const grave = findings.filter(({ severity }) => severity === 'review');
  const doubted = new Set(grave.flatMap(({ outputs }) => (outputs.length > 0 ? outputs : names)));
  const first = grave[0] ?? findings[0];
  return {
    decision: grave.length > 0 ? 'REVIEW' : findings.length > 0 ? 'PASS_WITH_NOTE' : 'PASS',
    human_label: grave.length > 0 ? 'SUSPICIOUS' : 'CORRECT',
    accepted_parameters: names.filter((name) => !doubted.has(name)),
    needs_review: names.filter((name) => doubted.has(name)),
    primary_reason: first?.reason ?? 'Fit, residuals, edges and history show nothing unusual.',
    closest_knowledge_case: '',
    suggested_labels: [...new Set(findings.map(({ label }) => label))],
    recommended_action: first?.action ?? 'Nothing to do.',
    note: findings
      .filter((finding) => finding !== first)
      .map(({ reason }) => reason)
      .join(' '),
  };
}

/** What is needed to judge a result without a value. */
interface Refused {
  task: Pick<Evidence['task'], 'name'>;
  result: Pick<Evidence['result'], 'message' | 'output_parameters' | 'quality_metrics'>;
}

/** Whether a result has nothing to review: no output, or for qubit spectroscopy no frequency. */
export function hasNoValue({
  task,
  result,
}: Pick<Refused, 'task'> & { result: Pick<Refused['result'], 'output_parameters'> }): boolean {
  const names = Object.keys(result.output_parameters);
  if (task.name !== QUBIT_SPECTROSCOPY) return names.length === 0;
  return !names.some((name) => QUBIT_FREQUENCIES.includes(name));
}

/** The refusal of a result without a value; no model is needed for it. */
export function refused({ task, result }: Refused): Verdict {
  const { message, quality_metrics } = result;
  const noSignal =
    task.name === QUBIT_SPECTROSCOPY ||
    !/fit of|bounds|outside|error|did not/i.test(message) ||
    quality_metrics['r2'] === undefined;
  return {
    decision: 'FAIL',
    human_label: noSignal ? 'NO_SIGNAL' : 'ANOMALY',
    accepted_parameters: [],
    needs_review: [],
    primary_reason: `There is no value: ${message || 'the task gave none'}`.slice(0, 600),
    closest_knowledge_case: '',
    suggested_labels: [noSignal ? 'no_signal' : 'bad_fit'],
    recommended_action: 'Look at the figure, then measure again with another range or more power.',
    note: '',
  };
}

const shown = (value: number) => String(Number(value.toPrecision(4)));

function fitFindings({ task, result }: Evidence): Finding[] {
  const { r2Threshold: threshold } = task;
  const r2 = result.quality_metrics['r2'];
  if (threshold === null || typeof r2 !== 'number') return [];
  if (r2 >= threshold + WEAK_FIT * (1 - threshold)) return [];
  return [
    {
      severity: 'note',
      label: 'weak_fit',
      outputs: [],
      reason: `The fit is barely good enough: r2 ${shown(r2)}, asked for ${threshold}.`,
      action: 'Measure with more shots if the value matters.',
    },
  ];
}

/** The measured points and the fitted curve of a figure that has exactly one of each. */
function curveOf(figure: Evidence['figure']): { residuals: number[] } | null {
  const scatters = (figure?.data ?? []).filter(
    ({ type, xaxis }) => type === 'scatter' && xaxis === undefined,
  );
  const [points, ...morePoints] = scatters.filter(({ mode }) => mode === 'markers');
  const [line, ...moreLines] = scatters.filter(({ mode }) => mode === 'lines');
  if (!points || !line || morePoints.length > 0 || moreLines.length > 0) return null;
  if (points.x.length < MIN_POINTS || line.x.length < 2) return null;
  const residuals = points.x.flatMap((x, index) => {
    const model = interpolated(line.x, line.y, x);
    const y = points.y[index];
    return model === null || y === undefined ? [] : [y - model];
  });
  return residuals.length < MIN_POINTS ? null : { residuals };
}

function interpolated(xs: readonly number[], ys: readonly number[], x: number): number | null {
  for (let index = 1; index < xs.length; index++) {
    const [from, to] = [xs[index - 1] ?? 0, xs[index] ?? 0];
    if (x < Math.min(from, to) || x > Math.max(from, to)) continue;
    const [low, high] = [ys[index - 1] ?? 0, ys[index] ?? 0];
    return from === to ? low : low + ((x - from) / (to - from)) * (high - low);
  }
  return null;
}

function residualFindings({ figure }: Evidence): Finding[] {
  const curve = curveOf(figure);
  if (!curve) return [];
  const { residuals } = curve;
  const squares = residuals.reduce((sum, each) => sum + each ** 2, 0);
  if (squares === 0) return [];
  const neighbours = residuals.slice(1).reduce((sum, each, index) => sum + each * (residuals[index] ?? 0), 0);
  const correlation = neighbours / squares;
  const findings: Finding[] = [];
  if (correlation > CORRELATED) {
    findings.push({
      severity: 'review',
      label: 'bad_fit',
      outputs: [],
      reason: `The curve does not follow the data: neighbouring residuals are correlated by ${shown(correlation)}.`,
      action: 'Look at the figure; another model or range may be needed.',
    });
  }
  const deviation = robustDeviation(residuals);
  const largest = Math.max(...residuals.map((each) => Math.abs(each)));
  if (deviation > 0 && largest > OUTLIER * deviation) {
    findings.push({
      severity: 'note',
      label: 'outlier',
      outputs: [],
      reason: `A point lies ${shown(largest / deviation)} deviations off the curve.`,
      action: 'Look at the figure.',
    });
  }
  return findings;
}

/** Standard deviation estimated from the median absolute deviation, which is robust against outliers. */
function robustDeviation(values: readonly number[]): number {
  return 1.4826 * median(values.map((each) => Math.abs(each - median(values))));
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}

function numberOf(result: Evidence['result'], name: string): number | null {
  const value = result.output_parameters[name]?.value;
  return typeof value === 'number' ? value : null;
}

/** Findings about values at the ends of a sweep in the same unit. */
function edgeFindings({ task, result, figure }: Evidence): Finding[] {
  const swept = figure?.data.find(({ x, xaxis }) => xaxis === undefined && x.length > 2)?.x ?? [];
  const [from, to] = [Math.min(...swept), Math.max(...swept)];
  const unit = /\(([^)]*)\)\s*$/.exec(figure?.layout.xaxis.title.text ?? '')?.[1];
  if (swept.length === 0 || unit === undefined) return [];
  return Object.entries(task.outputs).flatMap(([name, { unit: own }]): Finding[] => {
    const value = numberOf(result, name);
    if (value === null || plainUnit(own) !== plainUnit(unit) || value < from || value > to) return [];
    if (Math.min(value - from, to - value) >= EDGE * (to - from)) return [];
    return [edge(name, `${name} lies at the edge of the sweep, ${shown(from)} to ${shown(to)} ${own}.`)];
  });
}

/** Figures write micro as µ, outputs as u. */
function plainUnit(unit: string): string {
  return unit.replace(/[μµ]/g, 'u');
}

function edge(name: string, reason: string): Finding {
  const action = 'Measure again with a range around the value.';
  return { severity: 'review', label: 'edge', outputs: [name], reason, action };
}

function stepFindings({ task, result, history }: Evidence): Finding[] {
  return Object.entries(task.outputs).flatMap(([name, { unit }]): Finding[] => {
    const value = numberOf(result, name);
    const earlier = history[name] ?? [];
    if (value === null || earlier.length < MIN_EARLIER) return [];
    const usual = median(earlier);
    const error = result.output_parameters[name]?.error ?? 0;
    const deviation = Math.hypot(robustDeviation(earlier), error);
    const step = Math.abs(value - usual);
    if (step <= Math.max(STEP_DEVIATIONS * deviation, STEP_FLOOR * Math.abs(usual))) return [];
    return [
      {
        severity: 'review',
        label: 'step',
        outputs: [name],
        reason: `${name} jumped from ${shown(usual)} to ${shown(value)} ${unit}.`,
        action: 'Measure again; if it stays, look for what changed on the chip or in the wiring.',
      },
    ];
  });
}
