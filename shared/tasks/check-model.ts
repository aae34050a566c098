/** Checks: whether stored values still hold, by a short form of the task that found them. */
import type { PopulationModel } from '../science/fitting/expected-errors.ts';
import type { ResolvedParameters, Wander } from './model.ts';
import type { NextPassSettings } from './next-pass.ts';

/**
 * `in_specification`: all tested values are within their tolerances. `out_of_specification`: one of them is beyond.
 * `bad_data`: the data cannot come from the experiment, or decide nothing.
 */
export const checkOutcomes = ['in_specification', 'out_of_specification', 'bad_data'] as const;
export type CheckOutcome = (typeof checkOutcomes)[number];

/** Maximum deviation of a value, in its own unit or relative to it. */
export interface Tolerance {
  tolerance: number;
  of: Wander['of'];
}

/** An output of the task that its check tests. */
export interface TestedOutput extends Tolerance {
  /** The expected value; absent if that is the stored value of the same name. */
  shouldBe?: number;
  /**
   * Whether this is the smallest shift that the check resolves, so that a smaller configured tolerance has no effect.
   */
  isFinest?: true;
  /** Period of the value, such as that of a phase. Values that differ by a multiple of it are the same. */
  period?: number;
}

/** The known properties of a target before its check. */
export interface CheckSubject {
  /** Run parameters of the whole task. */
  run: ResolvedParameters;
  inputs: ResolvedParameters;
  /** Stored calibration values of the target, in the catalog's units. */
  values: Readonly<Record<string, number>>;
  /** Tolerances by parameter, instead of those that the task declares. */
  tolerances?: Readonly<Record<string, Tolerance>>;
}

/** Run parameters that replace those of the whole task. */
export type CheckRun = NextPassSettings['run'];

/** One possible measurement: run parameters, the number of points, and the model of the populations for its fit. */
export interface CheckCandidate {
  run: CheckRun;
  /** Number of points, including those of prepared states. Each takes all shots. */
  points: number;
  /** The model, whose values are the tested outputs in the same order. */
  model: PopulationModel;
}

/** The check form of a task: the same experiment with fewer points or fewer shots, judged by the task's own analysis. */
export interface CheckForm {
  tests: Readonly<Record<string, TestedOutput>>;
  /**
   * Sweeps with few points. The cheapest one that determines the tested values well enough is measured. If absent, all
   * points of the task are measured with fewer shots.
   * @returns a message if no sweep is possible
   */
  candidates?(subject: CheckSubject): readonly CheckCandidate[] | string;
  /** Whether r2 compares the data with perfect pulses, so that a low one is not a sign of bad data. */
  isAgainstPerfect?: true;
  /** Shots of the whole task, if it has no such run parameter. */
  shots?: number;
  /** Number of points of the whole task, including those of prepared states; for forms with `candidates`. */
  pointsOfAll?(run: ResolvedParameters): number;
}

/** The expected value of a tested output, and its maximum deviation, in its own unit. */
export interface CheckedValue {
  value: number;
  tolerance: number;
}

/** A check that can be measured. */
export interface CheckPlan {
  run: CheckRun;
  /** Expected values and tolerances by output. */
  values: Readonly<Record<string, CheckedValue>>;
}

/** The result of a check for one value. */
export interface CheckFinding extends CheckedValue {
  found: number;
  error: number;
}

/** The result of a check. */
export interface CheckVerdict {
  outcome: CheckOutcome;
  /** A message with the numbers that decided. */
  reason: string;
  /** Results by output; empty for bad data. */
  findings: Readonly<Record<string, CheckFinding>>;
}
