import type { ProjectId } from '../../kernel/ids.ts';
import type { ExecutionStore } from '../executions/index.ts';
import { type CountedWait, countedWait } from './waiting-rules.ts';

/** Maximum number of runs that are counted; a project has at most one. */
const COUNTED = 10_000;

/** Metrics of the open runs of all projects. */
export interface OpenRuns {
  open: number;
  /** Number of open runs that cannot continue. */
  stuck: number;
  /** The open runs: since how many seconds each holds its project, its backend, and what it waits for. */
  runs: { project_id: ProjectId; seconds: number; backend: string; waits_for: CountedWait | null }[];
}

/** Reads from the store, so that every process reports the same numbers, regardless of which made the reconciler's last round. */
export async function readOpenRuns(executions: Pick<ExecutionStore, 'openRuns'>): Promise<OpenRuns> {
  const runs = await executions.openRuns(COUNTED);
  const now = new Date();
  return {
    open: runs.length,
    stuck: runs.filter(({ trouble }) => trouble).length,
    runs: runs.map((run) => ({
      project_id: run.project_id,
      seconds: (now.getTime() - run.created_at.getTime()) / 1000,
      backend: run.backend,
      waits_for: countedWait(run, now),
    })),
  };
}
