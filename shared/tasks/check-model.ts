/** Checks: whether stored values still hold, by a short form of the task that found them. */
import type { PopulationModel } from '../science/fitting/expected-errors.ts';
import type { Again } from './measuring-again.ts';
import type { ResolvedParameters, Wander } from './model.ts';

/**
 * `in_specification`: all tested values are within their tolerances. `out_of_specification`: one of them is beyond.
 * `bad_data`: the data cannot be those of the experiment, or do not decide.
 */
export const checkOutcomes = ['in_specification', 'out_of_specification', 'bad_data'] as const;
export type CheckOutcome = (typeof checkOutcomes)[number];

/** How far a value may be off; in its own unit, or relative to it. */
export interface Tolerance {
  tolerance: number;
  of: Wander['of'];
}

/** An output of the task that its check tests. */
export interface TestedOutput extends Tolerance {
  /** What it should be; absent if that is the stored value of the same name. */
  shouldBe?: number;
  /** The check resolves no smaller shift, so a smaller tolerance that is configured for the value does not count. */
  isFinest?: true;
  /** Values that differ by a multiple of this are the same, such as phases. */
  period?: number;
}

/** What is known about a target before its check is measured. */
export interface CheckSubject {
  /** Run parameters of the whole task. */
  run: ResolvedParameters;
  inputs: ResolvedParameters;
  /** Stored calibration values of the target, in the catalog's units. */
  values: Readonly<Record<string, number>>;
  /** Tolerances by parameter, in place of those that the task declares. */
  tolerances?: Readonly<Record<string, Tolerance>>;
}

/** Run parameters in place of those of the whole task. */
export type CheckRun = Again['run'];

/** One way to measure: run parameters, the number of measured points, and what the fit sees there. */
export interface CheckCandidate {
  run: CheckRun;
  /** Points that are measured, with those of prepared states: each takes all shots. */
  points: number;
  /** Its values belong to the tested outputs, in the same order. */
  model: PopulationModel;
}

/** The check form of a task: the same experiment with fewer points or fewer shots, judged by the task's own analysis. */
export interface CheckForm {
  tests: Readonly<Record<string, TestedOutput>>;
  /**
   * Sweeps with few points, of which the cheapest is measured that determines the tested values well enough. Absent: all
   * points of the task with fewer shots.
   * @returns a message if none is possible
   */
  candidates?(subject: CheckSubject): readonly CheckCandidate[] | string;
  /** Whether r2 compares the data with perfect pulses, so that a low one is not a sign of bad data. */
  isAgainstPerfect?: true;
  /** Shots of the whole task, if it has no such run parameter. */
  shots?: number;
  /** Points of the whole task, with those of prepared states; for forms with `candidates`. */
  pointsOfAll?(run: ResolvedParameters): number;
}

/** What a tested value should be, and how far it may be off, in its own unit. */
export interface CheckedValue {
  value: number;
  tolerance: number;
}

/** A check that can be measured. */
export interface CheckPlan {
  run: CheckRun;
  /** By output. */
  values: Readonly<Record<string, CheckedValue>>;
}

/** What a check found of a value. */
export interface CheckFinding extends CheckedValue {
  found: number;
  error: number;
}

/** The result of a check. */
export interface CheckVerdict {
  outcome: CheckOutcome;
  /** A message with the numbers that decided. */
  reason: string;
  /** By output; empty for bad data. */
  findings: Readonly<Record<string, CheckFinding>>;
}
