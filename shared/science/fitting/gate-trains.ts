import { type CurveModel, type Fit, fitCurve } from './least-squares.ts';

/** A gate that was played once or several times: its amplitude, and the polarisation afterwards. */
export interface GatePoint {
  gates: number;
  amplitude: number;
  z: number;
}

/** Parameters: amplitude of a quarter turn, how the angle bends with it, what a gate keeps, and an offset. */
export interface GateTrainFit {
  fit: Fit;
  fitted: number[];
}

/** Angle of one gate: a quarter turn at its amplitude, and beside it nearly in proportion. */
function angleAt(amplitude: number, quarter: number, bend: number): number {
  const part = amplitude / quarter;
  return (Math.PI / 2) * part * (1 + bend * (part ** 2 - 1));
}

/**
 * Fits gates of one axis, played one after the other: z = k^m cos(m θ(a)) + c. However the angle θ depends on the
 * amplitude a, it is the same for each number m of gates, so one signal determines the others.
 *
 * @param quarter amplitude of a quarter turn to begin with
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
