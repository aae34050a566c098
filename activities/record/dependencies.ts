/** All steps: what record keeping needs from outside. */
import type { Areas } from '../../shared/domain/areas.ts';
import type { KeptResults } from '../../shared/domain/runs/index.ts';
import type { Settings } from '../../shared/domain/settings.ts';
import type { Logger } from '../../shared/kernel/log.ts';
import type { AnalysisPool } from '../analysis/pool.ts';
import type { ArtifactFiles } from './artifacts.ts';
import type { FigureDrawing } from './figure-drawing.ts';
import type { Plans } from './plans.ts';
import type { TrailingWrites } from './trailing-writes.ts';

/** What metrics count of measurements. */
export interface RecordCounts {
  answered(backend: string): void;
  ended(backend: string, end: 'completed' | 'refused' | 'failed'): void;
}

export interface RecordDependencies {
  areas: Pick<
    Areas,
    | 'backends'
    | 'executions'
    | 'results'
    | 'chips'
    | 'provenance'
    | 'runs'
    | 'measurementUploads'
    | 'diskSpace'
  >;
  files: ArtifactFiles;
  analysis: AnalysisPool;
  figures: Pick<FigureDrawing, 'add'>;
  trailing: Pick<TrailingWrites, 'follow'>;
  plans: Plans;
  keptResults: Pick<KeptResults, 'read' | 'drop'>;
  /** Seconds without a heartbeat after which a worker that measures this task on this backend counts as dead. */
  heartbeatTimeout(backend: string, task: string): Promise<number>;
  settings: Pick<Settings, 'TIMEZONE' | 'RAW_DATA_MIB'>;
  /** Counts, for metrics, the answers of backends and how their measurements ended; nothing counts them if undefined. */
  counts?: RecordCounts | undefined;
  log: Logger;
}
