import type { Again } from '../../measuring-again.ts';
import type { AnalysisInput } from './model.ts';
import { FIT_REACH_GHZ, type StepMap } from './resonator-map.ts';

/** How much finer a next pass sweeps, and that nothing is swept finer than so, GHz. */
const FINER = 4;
const FINEST_GHZ = 0.25e-3;

/**
 * The sweep that shows narrow lines which this one did not; nothing where this one is as fine as wanted.
 * @param x the frequencies that were swept, GHz
 * @param wanted how far apart they may lie, GHz
 */
export function finerSweep(
  { runParameters: run }: Pick<AnalysisInput, 'runParameters'>,
  x: readonly number[],
  wanted = FINEST_GHZ,
): Again | undefined {
  const spacing = ((x.at(-1) ?? 0) - (x[0] ?? 0)) / Math.max(1, x.length - 1);
  const name = run.band?.value === 'low' ? 'frequency_range_low_band' : 'frequency_range';
  const range = run[name];
  const [from, to] = [x[0], x.at(-1)];
  if (range === undefined || from === undefined || to === undefined) return undefined;
  if (spacing < 1.01 * wanted) return undefined;
  const finer = Math.max(FINEST_GHZ, spacing / FINER);
  // The end of np.arange is no point of it.
  const end = to + (range.value_type === 'np.arange' ? spacing : finer);
  return {
    run: { [name]: { value: [from, end, finer].map(rounded), value_type: 'np.arange' } },
    reason: `lines much narrower than the ${(1000 * spacing).toPrecision(2)} MHz between two points are not resolved`,
  };
}

/** To a hertz: sums of steps carry rounding, which a setting should not show. */
function rounded(frequency: number): number {
  return Number(frequency.toFixed(9));
}

/** Noise hardly lowers a step by more deviations than these. */
const DEVIATIONS = 3;

/**
 * Whether a line that was not found may be there, too narrow for the sweep. Of points at either side of a line that leaks
 * κ and lie Δ apart, the phases differ by 4 κ/Δ at least, however narrow it is: where no step beside the lines found is
 * as high as that of the narrowest one that a next pass resolves, there is none.
 * @param row of the steps, in which the noise is told from the median of all
 * @param seen the lines found, GHz
 */
export function mayHideLine(
  { frequencies, steps }: Pick<StepMap, 'frequencies' | 'steps'>,
  row: number,
  seen: readonly number[],
): boolean {
  const spacing = ((frequencies.at(-1) ?? 0) - (frequencies[0] ?? 0)) / Math.max(1, frequencies.length - 1);
  const sizes = steps[row] ?? [];
  const sorted = sizes.toSorted((a, b) => a - b);
  const noise = (sorted[Math.floor(sorted.length / 2)] ?? 0) / 0.6745;
  const least = (4 * FINEST_GHZ) / spacing - DEVIATIONS * noise;
  return frequencies.some(
    (frequency, column) =>
      (sizes[column] ?? 0) > least && seen.every((each) => Math.abs(each - frequency) > FIT_REACH_GHZ),
  );
}
