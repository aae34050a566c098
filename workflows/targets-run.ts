import type { OpenStageOutput, RecordOutput, TaskScope } from '../activities/contract.ts';
import type { HeldRun, RunPolicy } from '../shared/domain/runs/run-model.ts';
import type { AnswersInFlight } from './answers-in-flight.ts';
import type { RecordBatches } from './record-batches.ts';

/** What the targets of a step of a stage have in common. */
export interface TargetsRun {
  run: HeldRun;
  policy: RunPolicy;
  stage: number;
  /** What a measurement covers, for each task of the list. */
  scopes: readonly TaskScope[];
  /** The tasks of the list, where each is one activity. */
  tasks?: OpenStageOutput['tasks'];
  /** Of the answer that opened the step. */
  mark?: OpenStageOutput['mark'];
  /** Whether the activity of a task may go on with the next tasks of its target. */
  goesOn: boolean;
  /** Whether tasks go to the queue of the record keepers; no more once one found no room, or was not known there. */
  here: boolean;
  /** Whether records may be kept where the stage is carried on. */
  atOnce: boolean;
  answers: AnswersInFlight;
  batches: RecordBatches;
  /** True when no further measurement may be prepared: the stage continues as new, is paused or stopped. */
  holdsBack(): boolean;
  /** Told what each record brought to an end. */
  onRecord(ended: RecordOutput): void;
}
