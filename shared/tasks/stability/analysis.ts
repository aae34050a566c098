import { errorBarsTrace, lineTrace, markerTrace, unnamed } from '../../science/figures/compose.ts';
import type { Figure } from '../../science/figures/model.ts';
import { composePanels } from '../../science/figures/panels.ts';
import type { Estimate } from '../../science/fitting/estimate.ts';
import { findJumps, type Jump, type Jumps } from '../../science/fitting/jumps.ts';
import { judgeResiduals } from '../../science/fitting/residuals.ts';
import { mean, standardDeviation } from '../../science/fitting/statistics.ts';
import { subjectOf } from '../common/analysis/figure-text.ts';
import type { Analysis, AnalysisInput } from '../common/analysis/model.ts';
import { withoutFigures } from '../common/analysis/results.ts';
import { numberOf } from '../common/parameters.ts';
import { fitRounds, type Round, readRounds } from './round-fits.ts';
import { STABILITY_ROUNDS } from './rounds.ts';

/** Minimum fraction of good rounds. */
const NEEDED_SHARE = 0.5;
/** Parameters of the fits of a round: of the decay and of the fringes. */
const PARAMETERS = 3 + 6;
/** Maximum error of T1 (relative) and frequency (GHz) in a good round. Less precise rounds do not show fluctuations. */
const LARGEST_ERROR = { logT1: 0.5, fringe: 5e-4 };
const SECONDS_PER_MINUTE = 60;

/** One quantity, round by round, in the unit of the search for jumps and in that of the output. */
interface Quantity {
  name: 't1' | 'frequency' | 'readout';
  axis: string;
  /** The quantity on a scale on which its noise does not depend on its level. */
  found: Estimate[];
  /** Converts a value to the unit of the outputs. */
  shown(value: number): number;
}

/**
 * Fits T1, frequency and readout signal of every round, and searches for jumps of each. The task's `false_alarm_rate`
 * is the probability that any jump is reported although there is none.
 */
export function analyseStability(input: AnalysisInput): Analysis {
  const { dataset, inputs, runParameters } = input;
  const rounds = readRounds(dataset);
  if (typeof rounds === 'string') return withoutFigures(rounds);
  if (rounds.at.length > STABILITY_ROUNDS.most) {
    return withoutFigures(
      `${rounds.at.length} rounds are more than the ${STABILITY_ROUNDS.most} that are fitted`,
    );
  }
  const stored = numberOf(inputs.qubit_frequency);
  const detuning = numberOf(runParameters.detuning);
  const shots = numberOf(runParameters.shots);
  if (stored === undefined || detuning === undefined || shots === undefined) {
    return withoutFigures('the frequency, the detuning or the shots of the measurement are unknown');
  }
  const fitted = fitRounds(rounds, shots);
  const good = fitted.filter(
    ({ logT1, fringe }) => logT1.error < LARGEST_ERROR.logT1 && fringe.error < LARGEST_ERROR.fringe,
  );
  const needed = Math.max(STABILITY_ROUNDS.fewest, Math.ceil(NEEDED_SHARE * rounds.at.length));
  if (good.length < needed) {
    return withoutFigures(
      `${good.length} of ${rounds.at.length} rounds determine T1 and the frequency; ${needed} are needed`,
    );
  }
  const quantities = quantitiesOf(good, stored + detuning);
  const chance = (numberOf(runParameters.false_alarm_rate) ?? 0.01) / quantities.length;
  const analysed = quantities.map((quantity) => ({ quantity, levels: levelsOf(quantity, chance) }));
  const figures = [overview(input, good, analysed)];
  const problem = misfitOf(good, analysed);
  if (problem !== null) return { outputs: {}, r2: null, figures, refused: problem };
  const outputs = Object.fromEntries(
    analysed.flatMap(({ quantity, levels }) => Object.entries(outputsOf(good, quantity, levels))),
  );
  return { outputs, r2: null, figures };
}

/**
 * The reason why the curves do not describe single rounds, or all rounds between two jumps together; null if they do. A
 * change of the instrument has a small effect on each round, but the same effect on all following rounds, and causes
 * jumps of the fits.
 */
function misfitOf(rounds: readonly Round[], analysed: readonly { levels: Jumps }[]): string | null {
  const { problem } = judgeResiduals(
    rounds.flatMap(({ residuals }) => residuals),
    { parameters: PARAMETERS * rounds.length, estimatedShare: 0 },
  );
  if (problem !== null) return problem;
  const cuts = analysed
    .flatMap(({ levels: { jumps } }) => jumps.map(({ index }) => index))
    .sort((a, b) => a - b);
  const ends = [0, ...cuts, rounds.length];
  for (const [place, from] of ends.slice(0, -1).entries()) {
    const part = rounds.slice(from, ends[place + 1]);
    const together = (part[0]?.residuals ?? []).map(
      (_, point) =>
        part.reduce((sum, { residuals }) => sum + (residuals[point] ?? 0), 0) / Math.sqrt(part.length),
    );
    const judged = judgeResiduals(together, { parameters: PARAMETERS, estimatedShare: 0 });
    if (judged.problem !== null)
      return `of rounds ${from + 1} to ${from + part.length} together ${judged.problem}`;
  }
  return null;
}

function quantitiesOf(rounds: readonly Round[], drive: number): Quantity[] {
  const centre = mean(rounds.map(({ fringe }) => drive - fringe.value));
  const distance = mean(rounds.map(({ logDistance }) => Math.exp(logDistance.value)));
  return [
    {
      name: 't1',
      axis: 'T1 (µs)',
      found: rounds.map(({ logT1 }) => logT1),
      shown: (log) => Math.exp(log) / 1000,
    },
    {
      name: 'frequency',
      axis: 'f01 − mean (MHz)',
      found: rounds.map(({ fringe: { value, error } }) => ({ value: drive - value - centre, error })),
      shown: (value) => 1000 * value,
    },
    {
      name: 'readout',
      axis: 'Readout signal / mean',
      found: rounds.map(({ logDistance }) => logDistance),
      shown: (log) => Math.exp(log) / distance,
    },
  ];
}

/** All rounds of a quantity are about equally precise, whereas the errors of single fits are uncertain. */
function levelsOf({ found }: Quantity, chance: number): Jumps {
  const errors = found.map(({ error }) => error).sort((a, b) => a - b);
  const usual = errors[Math.floor(errors.length / 2)] ?? Number.NaN;
  return findJumps({ values: found.map(({ value }) => value), errors: errors.map(() => usual) }, chance);
}

function outputsOf(
  rounds: readonly Round[],
  { name, found, shown }: Quantity,
  { jumps, course }: Jumps,
): Record<string, Estimate> {
  const values = found.map(({ value }) => shown(value));
  const spread = standardDeviation(values);
  const prefix = `stability_${name}`;
  const largest = jumps.reduce<Jump | undefined>(
    (best, jump) => (Math.abs(jump.size.value) > Math.abs(best?.size.value ?? 0) ? jump : best),
    undefined,
  );
  const exact = (value: number): Estimate => ({ value, error: 0 });
  return {
    [`${prefix}_spread`]: { value: spread, error: spread / Math.sqrt(2 * (values.length - 1)) },
    [`${prefix}_jumps`]: exact(jumps.length),
    [`${prefix}_jump`]: largest === undefined ? exact(0) : shownJump(largest, course, shown),
    [`${prefix}_jump_time`]: largest === undefined ? exact(0) : timeOf(rounds, largest),
  };
}

/** A jump in the unit of the outputs. */
function shownJump({ index, size }: Jump, course: readonly number[], shown: Quantity['shown']): Estimate {
  const from = course[index - 1] ?? 0;
  const [before, after] = [shown(from), shown(from + size.value)];
  // For a small change, the conversion is linear.
  const slope = (after - before) / size.value;
  return { value: after - before, error: Math.abs(slope) * size.error };
}

/** The jump is between two rounds, at any time with equal probability. */
function timeOf(rounds: readonly Round[], { index }: Jump): Estimate {
  const [before = 0, after = 0] = [rounds[index - 1]?.at, rounds[index]?.at];
  return { value: (before + after) / 2, error: (after - before) / Math.sqrt(12) };
}

function overview(
  input: AnalysisInput,
  rounds: readonly Round[],
  analysed: readonly { quantity: Quantity; levels: Jumps }[],
): Figure {
  const minutes = rounds.map(({ at }) => at / SECONDS_PER_MINUTE);
  const panels = analysed.map(({ quantity: { found, shown, axis }, levels: { jumps, course, excess } }) => {
    const values = found.map(({ value }) => shown(value));
    const errors = found.map(
      ({ value, error }) => (shown(value + excess * error) - shown(value - excess * error)) / 2,
    );
    const reach = [
      ...values.map((value, index) => value - (errors[index] ?? 0)),
      ...values.map((value, index) => value + (errors[index] ?? 0)),
    ];
    const marks = jumps.map((jump) =>
      unnamed(
        markerTrace(
          'jump',
          timeOf(rounds, jump).value / SECONDS_PER_MINUTE,
          Math.min(...reach),
          Math.max(...reach),
        ),
      ),
    );
    return {
      data: [
        unnamed(errorBarsTrace('rounds', minutes, values, errors)),
        unnamed(lineTrace('course', minutes, course.map(shown))),
        ...marks,
      ],
      x: 'Time (min)',
      y: axis,
    };
  });
  const counts = analysed.map(({ quantity, levels }) => `${quantity.name} ${levels.jumps.length}`);
  return composePanels(panels, { title: `${subjectOf(input)} · jumps: ${counts.join(', ')}`, columns: 1 });
}
