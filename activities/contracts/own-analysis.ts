/** Activities that analyse stored data of a lab's own tasks. Types only. */
import type {
  AnalysisRequest,
  OwnAnalysisAnswer,
  OwnAnalysisInput,
} from '../../shared/domain/reanalysis/workflow-model.ts';

/** An activity that a lab's worker may serve on the queue of its backend. */
export interface AnalyseActivity {
  analyse(request: AnalysisRequest): Promise<unknown>;
}

/** Activities of queue `calibration`. */
export interface OwnAnalysisActivities {
  /** Checks what a worker found, and converts it to the declared units. */
  readOwnAnalysis(input: Pick<OwnAnalysisInput, 'outputs'> & { answer: unknown }): Promise<OwnAnalysisAnswer>;
}
