import type { Dataset } from '../../../science/datasets/model.ts';
import type { Figure } from '../../../science/figures/model.ts';
import type { Estimate } from '../../../science/fitting/estimate.ts';
import type { Again } from '../../measuring-again.ts';
import type { ResolvedParameter, TaskDefinition } from '../../model.ts';

/** A value that the task was given, with its error where it came from calibration state. */
export type AnalysedInput = ResolvedParameter & { error?: number | null };

/** All that an analysis may look at: the data and the parameters it was measured with. */
export interface AnalysisInput {
  task: TaskDefinition;
  qid: string;
  dataset: Dataset;
  inputs: Readonly<Record<string, AnalysedInput>>;
  runParameters: Readonly<Record<string, ResolvedParameter>>;
}

/**
 * What an analysis found. `outputs` is empty exactly when `refused` says why the fit is no good;
 * figures are there in every case, so that a failed task can be looked at.
 * `r2` is that of the best curve tried, null where there was none.
 */
export interface Analysis {
  /** In the units that the task's definition declares. */
  outputs: Record<string, Estimate>;
  r2: number | null;
  figures: Figure[];
  refused?: string;
  /** Whether it was refused because the run parameters do not fit the data, whatever the data says. */
  unfitParameters?: boolean;
  /** Sentences for the task's message about what came otherwise than expected. */
  notes?: string[];
  /** With which settings the measurement may succeed, should a gate refuse it; absent where none would help. */
  again?: Again;
}

/** Reads one target's data; it never throws for bad ones. */
export type Analyse = (input: AnalysisInput) => Analysis;
