import { type CurveModel, type Fit, fitCurve } from './least-squares.ts';

/** A gate that was played one or several times: its amplitude, and the polarisation afterwards. */
export interface GatePoint {
  gates: number;
  amplitude: number;
  z: number;
}

/**
 * Parameters: amplitude of a quarter turn, curvature of the angle over the amplitude, polarisation kept by a gate, and
 * an offset.
 */
export interface GateTrainFit {
  fit: Fit;
  fitted: number[];
}

/** Angle of one gate: a quarter turn at its amplitude, and nearly proportional to the amplitude around it. */
function angleAt(amplitude: number, quarter: number, bend: number): number {
  const part = amplitude / quarter;
  return (Math.PI / 2) * part * (1 + bend * (part ** 2 - 1));
}

/**
 * Fits m gates about the same axis, played one after another: z = k^m cos(m θ(a)) + c. The angle θ is the same function
 * of the amplitude a for each m, so the signals for different m are tied to each other.
 *
 * @param quarter start value of the amplitude of a quarter turn
 */
export function fitGateTrains(
  points: readonly GatePoint[],
  quarter: number,
  sigma?: readonly number[],
): GateTrainFit {
  const at = (index: number) => points[index] ?? { gates: 0, amplitude: 0, z: 0 };
  const model: CurveModel = {
    evaluate([turn = 1, bend = 0, kept = 1, offset = 0], index) {
      const { gates, amplitude } = at(index);
      return kept ** gates * Math.cos(gates * angleAt(amplitude, turn, bend)) + offset;
    },
    gradient([turn = 1, bend = 0, kept = 1], index) {
      const { gates, amplitude } = at(index);
      const part = amplitude / turn;
      const angle = gates * angleAt(amplitude, turn, bend);
      const byAngle = -(kept ** gates) * Math.sin(angle) * gates * (Math.PI / 2);
      return [
        byAngle * (1 - bend + 3 * bend * part ** 2) * (-part / turn),
        byAngle * part * (part ** 2 - 1),
        gates * kept ** (gates - 1) * Math.cos(angle),
        1,
      ];
    },
  };
  const start = [quarter, 0, 1, 0];
  const fit = fitCurve({
    x: points.map((_, index) => index),
    y: points.map(({ z }) => z),
    model,
    start,
    scale: [quarter, 0.1, 0.1, 0.1],
    sigma,
  });
  const used = fit.ok ? fit.parameters : start;
  return { fit, fitted: points.map((_, index) => model.evaluate(used, index)) };
}
