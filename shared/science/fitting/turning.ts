/** Cosines and sines of 2π f t at all times, for a frequency f that increases by `step` with each `advance`. */
export interface Turning {
  cosines: Float64Array;
  sines: Float64Array;
  advance(): void;
}

/**
 * Computes the phases for the frequency `from` and then for higher ones, without trigonometric functions for each
 * frequency.
 */
export function turning(times: readonly number[], { from, step }: { from: number; step: number }): Turning {
  const turned = (frequency: number, part: (angle: number) => number) =>
    Float64Array.from(times, (time) => part(2 * Math.PI * frequency * time));
  const [cosines, sines] = [turned(from, Math.cos), turned(from, Math.sin)];
  const [stepCosines, stepSines] = [turned(step, Math.cos), turned(step, Math.sin)];
  return {
    cosines,
    sines,
    advance() {
      // This runs for each time and each frequency, where allocating a list for a pair of numbers takes longer than
      // computing it.
      for (let index = 0; index < cosines.length; index++) {
        const cosine = cosines[index] ?? 0;
        const sine = sines[index] ?? 0;
        const byCosine = stepCosines[index] ?? 0;
        const bySine = stepSines[index] ?? 0;
        cosines[index] = cosine * byCosine - sine * bySine;
        sines[index] = sine * byCosine + cosine * bySine;
      }
    },
  };
}
