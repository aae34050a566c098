import { driftedQubit } from '../../../shared/science/device/device-drift.ts';
import { type Random, randomFrom } from '../../../shared/science/device/random.ts';
import { driftAfter, type FoundValue, separation } from '../../../shared/tasks/drift.ts';
import type { Wander } from '../../../shared/tasks/model.ts';
import { areAlike, doubts, type Known } from '../../../shared/tasks/plausibility.ts';
import { logBetween } from './draws.ts';
import { kinds } from './kinds.ts';
import { AT } from './measurement.ts';
import { measureAndAnalyse, measurementOf } from './measuring.ts';
import type { Kind, QubitKind } from './model.ts';
import { taskOf } from './stored-values.ts';

/** What became of two passes of a value that jumped. */
export interface JumpTrial {
  kind: string;
  output: string;
  seed: string;
  /**
   * `wrong`: both passes are wrong, each by as much as it happens to be; they must not confirm each other. `moved`: the device
   * jumped, and both passes show where it is, so that they must confirm each other.
   */
  case: 'wrong' | 'moved';
  /** Distance of the passes in standard errors of both. */
  apart: number;
  confirmed: boolean;
}

/** Age of the value from which a wrong one jumps, hours. */
const AGE = { from: 0.1, to: 96 } as const;
/** How far a wrong value jumps, in deviations of errors and drift. */
const JUMP = { from: 6, to: 60 } as const;
/** Distance of the second wrong value from the first one, in standard errors of both. */
const APART = { from: 6, to: 600 } as const;
/** Time between two passes, s. */
const BETWEEN = { from: 5, to: 120 } as const;

/** Healthy measurements of qubits that find quantities which only drift. */
export const jumpKinds: readonly Kind[] = kinds.filter(
  (kind) =>
    kind.group === 'healthy' &&
    kind.of !== 'pair' &&
    kind.measure === undefined &&
    Object.values(taskOf(kind.task).outputs).some(({ wander }) => wander !== undefined),
);

/** Measures a device twice as passes of one task do, and asks whether the passes of a jump confirm each other. */
export function judgeJumps(kind: Kind, seed: string): JumpTrial[] {
  if (kind.of === 'pair') return [];
  let at = AT;
  const drifting: QubitKind = {
    ...kind,
    measure: (once, { qubit, qid }) => once({ qubit: driftedQubit(qubit, { seed, qid, at }, 1) }),
  };
  const random = randomFrom(seed, kind.name, 'jumps');
  const measurement = measurementOf(drifting, seed);
  const first = measureAndAnalyse(measurement);
  at = new Date(AT.getTime() + 1000 * logBetween(random, BETWEEN.from, BETWEEN.to));
  const second = measureAndAnalyse(measurement);
  if (first.refusal !== null || second.refusal !== null) return [];
  const { outputs } = taskOf(kind.task);
  return Object.entries(outputs).flatMap(([output, { wander }]): JumpTrial[] => {
    const [one, other] = [first.analysis.outputs[output], second.analysis.outputs[output]];
    if (wander === undefined || one === undefined || other === undefined) return [];
    const trial = { kind: kind.name, output, seed };
    const moved: JumpTrial = {
      ...trial,
      case: 'moved',
      ...compared(one, other, wander),
    };
    const wrong = wrongPasses(output, { outputs, value: one, wander }, random);
    return wrong === null ? [moved] : [moved, { ...trial, case: 'wrong', ...wrong }];
  });
}

/** How far two passes lie apart, and whether the second one confirms the first. */
function compared(
  one: FoundValue,
  other: FoundValue,
  wander: Wander,
): Pick<JumpTrial, 'apart' | 'confirmed'> {
  const { apart, error } = separation(one, other, wander.of);
  return { apart: apart / error, confirmed: areAlike(other, { ...one, hours: 0 }, { wander }) };
}

/** Two passes that find different wrong values; null if one of them is not doubted at all. */
function wrongPasses(
  output: string,
  {
    outputs,
    value: right,
    wander,
  }: { outputs: Parameters<typeof doubts>[0]; value: FoundValue; wander: Wander },
  random: Random,
): Pick<JumpTrial, 'apart' | 'confirmed'> | null {
  const error = right.error ?? 0;
  if (!(error > 0)) return null;
  const hours = logBetween(random, AGE.from, AGE.to);
  const relative = wander.of === 'unit' ? error : error / right.value;
  const sign = () => (random.uniform() < 0.5 ? -1 : 1);
  const far =
    sign() *
    logBetween(random, JUMP.from, JUMP.to) *
    Math.hypot(relative, relative, driftAfter(hours, wander));
  const further = sign() * logBetween(random, APART.from, APART.to) * Math.hypot(relative, relative);
  const at = (by: number): FoundValue =>
    wander.of === 'unit'
      ? { value: right.value + by, error }
      : { value: right.value * Math.exp(by), error: error * Math.exp(by) };
  const known: Known = { [output]: { ...right, hours } };
  const [one, other] = [at(far), at(far + further)];
  const areDoubted = [one, other].every((found) => doubts(outputs, { [output]: found }, known).length > 0);
  if (!areDoubted) return null;
  return compared(one, other, wander);
}
