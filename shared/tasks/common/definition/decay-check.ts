import type { CheckCandidate, CheckSubject } from '../../check-model.ts';

/**
 * First and last point of a sweep in decay times, and candidates for the number of points. Fewer points would not
 * reveal bad data.
 */
const STARTS = [0.02, 0.05, 0.1, 0.2] as const;
const STOPS = [1.5, 2, 3, 4] as const;
const COUNTS = [11, 15] as const;
/** Shortest time of the control, ns. */
const SHORTEST_NS = 20;

/** A check of a decay over `time_range`, with the same kind of spacing as that of the task. */
export interface DecayCheck {
  /** Decay time that scales the sweeps, ns. */
  decayNs: number;
  /** Populations of prepared states from which the fit takes its scale. Each is an additional point. */
  prepared: readonly number[];
  /** Stored values of the tested outputs. */
  values: readonly number[];
  /** Populations of each measured curve at a time (ns). */
  curves(time: number, values: readonly number[]): readonly number[];
  /** Times (ns) that are measured in addition to the sweep. */
  further?: readonly number[];
  /** Run parameters besides the sweep. */
  run?: CheckCandidate['run'];
  /** First times, ns, instead of fractions of the decay time. */
  startsNs?: readonly number[];
  counts?: readonly number[];
}

/** Sweeps with geometrically spaced times. */
export function decayCandidates(check: DecayCheck): CheckCandidate[] {
  const { decayNs, prepared, values, curves, further = [], run = {} } = check;
  const starts = check.startsNs ?? STARTS.map((part) => Math.max(SHORTEST_NS, part * decayNs));
  return starts.flatMap((start) =>
    STOPS.flatMap((part) =>
      (check.counts ?? COUNTS).map((count) => {
        const stop = part * decayNs;
        const times = Array.from(
          { length: count },
          (_, index) => start * (stop / start) ** (index / (count - 1)),
        );
        const curvesAt = [...further, ...times].map(
          (time) => (tried: readonly number[]) => curves(time, tried),
        );
        return {
          run: {
            ...run,
            time_range: {
              value: [...[start, stop].map((time) => Number(Math.log10(time).toPrecision(8))), count],
              value_type: 'np.logspace',
            },
          },
          points: (further.length + count) * curves(start, values).length + prepared.length,
          model: { values, populations: (tried) => [...curvesAt.flatMap((at) => at(tried)), ...prepared] },
        };
      }),
    ),
  );
}

/** A positive stored value; undefined if there is none. */
export function storedValue({ values }: Pick<CheckSubject, 'values'>, name: string): number | undefined {
  const value = values[name];
  return value !== undefined && value > 0 ? value : undefined;
}
