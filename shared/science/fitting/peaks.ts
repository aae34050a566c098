/** Gaussian smoothing with a standard deviation in points. The end values continue beyond the ends. */
export function smooth(values: readonly number[], deviation: number): number[] {
  const reach = Math.ceil(4 * deviation);
  const weights = Array.from({ length: 2 * reach + 1 }, (_, index) =>
    Math.exp(-(((index - reach) / deviation) ** 2) / 2),
  );
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const last = values.length - 1;
  return values.map((_, centre) =>
    weights.reduce((sum, weight, index) => {
      const place = Math.min(last, Math.max(0, centre + index - reach));
      return sum + (weight / total) * (values[place] ?? 0);
    }, 0),
  );
}

export interface Peak {
  index: number;
  height: number;
  prominence: number;
}

/** Prominence of a peak: its height above the higher of the two valleys that separate it from higher peaks. */
function prominenceOf(values: readonly number[], index: number): number {
  const height = values[index] ?? 0;
  const valley = (step: 1 | -1) => {
    let lowest = height;
    for (let place = index + step; place >= 0 && place < values.length; place += step) {
      const value = values[place] ?? 0;
      if (value > height) break;
      lowest = Math.min(lowest, value);
    }
    return lowest;
  };
  return height - Math.max(valley(-1), valley(1));
}

/**
 * At most `atMost` peaks: the most prominent ones of at least the given prominence and at least `distance` points apart
 * (of closer ones, the higher one is kept), in the order of their index.
 */
export function findPeaks(
  values: readonly number[],
  { distance, prominence, atMost = Number.POSITIVE_INFINITY }: PeakRules,
): Peak[] {
  const candidates: Peak[] = [];
  for (let index = 1; index < values.length - 1; index++) {
    const height = values[index] ?? 0;
    if (!(height > (values[index - 1] ?? 0) && height >= (values[index + 1] ?? 0))) continue;
    candidates.push({ index, height, prominence: prominenceOf(values, index) });
  }
  const kept: Peak[] = [];
  for (const peak of candidates.sort((a, b) => b.height - a.height)) {
    if (peak.prominence < prominence) continue;
    if (kept.every(({ index }) => Math.abs(index - peak.index) >= distance)) kept.push(peak);
  }
  return kept
    .sort((a, b) => b.prominence - a.prominence)
    .slice(0, atMost)
    .sort((a, b) => a.index - b.index);
}

export interface PeakRules {
  distance: number;
  prominence: number;
  atMost?: number;
}
