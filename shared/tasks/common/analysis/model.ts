import type { Dataset } from '../../../science/datasets/model.ts';
import type { Figure } from '../../../science/figures/model.ts';
import type { Estimate } from '../../../science/fitting/estimate.ts';
import type { Again } from '../../measuring-again.ts';
import type { ResolvedParameter, TaskDefinition } from '../../model.ts';

/** An input value of the task, with its error if it comes from calibration state. */
export type AnalysedInput = ResolvedParameter & { error?: number | null };

/** Everything that an analysis may use: the data and the parameters of the measurement. */
export interface AnalysisInput {
  task: TaskDefinition;
  qid: string;
  dataset: Dataset;
  inputs: Readonly<Record<string, AnalysedInput>>;
  runParameters: Readonly<Record<string, ResolvedParameter>>;
}

/**
 * Result of an analysis. `outputs` is empty exactly if `refused` gives the reason why the fit is unusable. Figures are
 * always present, so that a failed task can be inspected. `r2` is that of the best curve tried, null if there was none.
 */
export interface Analysis {
  /** In the units that the task's definition declares. */
  outputs: Record<string, Estimate>;
  r2: number | null;
  /** What r2 must exceed at the noise of these data, in place of the task's threshold; absent where the task's holds. */
  r2Threshold?: number;
  figures: Figure[];
  refused?: string;
  /** Whether it was refused because the run parameters do not fit the data, independent of the data's content. */
  unfitParameters?: boolean;
  /** Unexpected findings, as parts of the task's message. */
  notes?: string[];
  /** Settings with which the measurement may succeed if a gate refuses it; absent if none would help. */
  again?: Again;
  /**
   * Settings with which a refused measurement may succeed, but that cost too much to be tried unasked; a flow may repeat
   * the task with them.
   */
  suggestion?: Again;
}

/** Analyses one target's data; it never throws for bad data. */
export type Analyse = (input: AnalysisInput) => Analysis;
