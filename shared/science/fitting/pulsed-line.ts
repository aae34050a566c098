import type { CurveModel, Fit } from './least-squares.ts';
import { fitWithOptionalMemory, predictedPoints } from './point-memory.ts';

/**
 * Line of a transition under a square pulse: the excited population at a detuning Δ, A Ω²/W² sin²(π W t) + C with W =
 * √(Ω² + Δ²). Parameters A, f, Ω, C; frequencies in GHz, the length t in ns.
 */
export function pulsedLine(lengthNs: number): CurveModel {
  const shape = (rabi: number, distance: number) => {
    const w = Math.hypot(rabi, distance);
    return w === 0 ? 0 : (rabi / w) ** 2 * Math.sin(Math.PI * w * lengthNs) ** 2;
  };
  return {
    evaluate: ([height = 0, centre = 0, rabi = 0, offset = 0], x) =>
      height * shape(rabi, x - centre) + offset,
    gradient([height = 0, centre = 0, rabi = 0], x) {
      const distance = x - centre;
      const w = Math.hypot(rabi, distance);
      if (w === 0) return [0, 0, 0, 1];
      const [sine, cosine] = [Math.sin(Math.PI * w * lengthNs), Math.cos(Math.PI * w * lengthNs)];
      // Derivative of sin²(π W t) / W² by W.
      const byW = (2 * sine * (Math.PI * lengthNs * cosine - sine / w)) / w ** 2;
      return [
        shape(rabi, distance),
        (-height * rabi ** 2 * byW * distance) / w,
        height * ((2 * rabi * sine ** 2) / w ** 2 + (rabi ** 3 * byW) / w),
        1,
      ];
    },
  };
}

export interface PulsedLineFit {
  fit: Fit;
  fitted: number[];
  evaluate(frequency: number): number;
}

/** Start values of the Rabi frequency, as fractions of the expected one. */
const STRENGTHS = [0.5, 0.75, 1, 1.4, 2];

/** The best of all frequencies and several Rabi frequencies. Height and offset follow linearly for each. */
function bestStart(
  x: readonly number[],
  y: readonly number[],
  { model, rabi }: { model: CurveModel; rabi: number },
): number[] {
  const meanY = y.reduce((sum, value) => sum + value, 0) / y.length;
  let best = { explained: 0, values: [0, x[0] ?? 0, rabi, meanY] };
  for (const strength of STRENGTHS) {
    for (const centre of x) {
      const shapes = x.map((at) => model.evaluate([1, centre, strength * rabi, 0], at));
      const meanShape = shapes.reduce((sum, value) => sum + value, 0) / shapes.length;
      let [squares, products] = [0, 0];
      for (const [index, value] of shapes.entries()) {
        squares += (value - meanShape) ** 2;
        products += (value - meanShape) * ((y[index] ?? 0) - meanY);
      }
      if (!(squares > 0)) continue;
      const height = products / squares;
      if (height * products > best.explained) {
        const values = [height, centre, strength * rabi, meanY - height * meanShape];
        best = { explained: height * products, values };
      }
    }
  }
  return best.values;
}

/**
 * Fits the line of a transition under a square pulse to y(f).
 *
 * @param pulse its length (ns) and its expected Rabi frequency (GHz)
 * @param sigma standard deviation of each point up to a common factor
 * @param before the point before each point, if the points may retain a fraction of it; that fraction is then the last
 * parameter
 */
export function fitPulsedLine(
  x: readonly number[],
  y: readonly number[],
  { lengthNs, rabi }: { lengthNs: number; rabi: number },
  { sigma, before }: { sigma?: readonly number[]; before?: readonly number[] } = {},
): PulsedLineFit {
  const model = pulsedLine(lengthNs);
  const start = bestStart(x, y, { model, rabi });
  const height = Math.abs(start[0] ?? 0) || 1;
  const problem = { x, y, model, start, scale: [height, 1 / lengthNs, rabi, height], sigma };
  const fit = fitWithOptionalMemory({ ...problem, before });
  const evaluate = (frequency: number) => model.evaluate(fit.ok ? fit.parameters : start, frequency);
  return { fit, fitted: predictedPoints(x.map(evaluate), { before, fit }), evaluate };
}
