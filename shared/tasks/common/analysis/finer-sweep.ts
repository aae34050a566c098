import type { NextPassSettings } from '../../next-pass.ts';
import type { AnalysisInput } from './model.ts';
import { FIT_REACH_GHZ, type StepMap } from './resonator-map.ts';

/** Factor by which a next pass sweeps finer, and the smallest step, GHz. */
const FINER = 4;
const FINEST_GHZ = 0.25e-3;

/**
 * A sweep that shows narrow lines which this one did not; undefined if this one is already fine enough.
 * @param x the swept frequencies, GHz
 * @param wanted maximum spacing, GHz
 */
export function finerSweep(
  { runParameters: run }: Pick<AnalysisInput, 'runParameters'>,
  x: readonly number[],
  wanted = FINEST_GHZ,
): NextPassSettings | undefined {
  const spacing = ((x.at(-1) ?? 0) - (x[0] ?? 0)) / Math.max(1, x.length - 1);
  const name = run.band?.value === 'low' ? 'frequency_range_low_band' : 'frequency_range';
  const range = run[name];
  const [from, to] = [x[0], x.at(-1)];
  if (range === undefined || from === undefined || to === undefined) return undefined;
  if (spacing < 1.01 * wanted) return undefined;
  const finer = Math.max(FINEST_GHZ, spacing / FINER);
  // The end of np.arange is excluded.
  const end = to + (range.value_type === 'np.arange' ? spacing : finer);
  return {
    run: { [name]: { value: [from, end, finer].map(rounded), value_type: 'np.arange' } },
    reason: `lines much narrower than the ${(1000 * spacing).toPrecision(2)} MHz between two points are not resolved`,
  };
}

/** Rounds to a hertz, because sums of steps carry rounding errors that a setting should not show. */
function rounded(frequency: number): number {
  return Number(frequency.toFixed(9));
}

/** Noise rarely lowers a step by more standard deviations than this. */
const DEVIATIONS = 3;

/**
 * Whether a line that was not found may exist but be too narrow for the sweep. Points at either side of a line with
 * leakage rate κ and with spacing Δ differ in phase by at least 4 κ/Δ, however narrow the line is. If no step apart
 * from those of the found lines reaches that of the narrowest line that a next pass resolves, there is no such line.
 * @param row the row of phase steps; the noise is estimated from their median
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
