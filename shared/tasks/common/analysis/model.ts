import type { Dataset } from '../../../science/datasets/model.ts';
import type { Figure } from '../../../science/figures/model.ts';
import type { Estimate } from '../../../science/fitting/estimate.ts';
import type { ResolvedParameter, TaskDefinition } from '../../model.ts';
import type { NextPassSettings } from '../../next-pass.ts';

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
  /** Threshold of r2 at the noise of these data, instead of the task's threshold; absent if the latter applies. */
  r2Threshold?: number;
  figures: Figure[];
  refused?: string;
  /** Whether it was refused because the run parameters do not fit the data, independent of the data's content. */
  unfitParameters?: boolean;
  /** Unexpected findings, as parts of the task's message. */
  notes?: string[];
  /** Settings with which the measurement may succeed if a gate refuses it; absent if none would help. */
  again?: NextPassSettings;
  /**
   * Settings with which a refused measurement may succeed, but which are too expensive to be tried automatically. A
   * flow may repeat the task with them.
   */
  suggestion?: NextPassSettings;
}

/** Analyses one target's data; it never throws for bad data. */
export type Analyse = (input: AnalysisInput) => Analysis;
