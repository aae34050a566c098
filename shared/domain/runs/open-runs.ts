import type { ExecutionStore } from '../executions/index.ts';

/** Maximum number of runs that are counted; a project has at most one. */
const COUNTED = 10_000;

/** Metrics of the open runs of all projects. */
export interface OpenRuns {
  open: number;
  /** Number of open runs that cannot continue. */
  stuck: number;
  /** The held projects, and how many seconds each has been held. */
  held: { project_id: string; seconds: number }[];
}

/** Reads from the store, so that every process reports the same numbers, regardless of which made the reconciler's last round. */
export async function readOpenRuns(executions: Pick<ExecutionStore, 'openRuns'>): Promise<OpenRuns> {
  const runs = await executions.openRuns(COUNTED);
  const now = Date.now();
  return {
    open: runs.length,
    stuck: runs.filter(({ stuck }) => stuck).length,
    held: runs.map(({ project_id, since }) => ({ project_id, seconds: (now - since.getTime()) / 1000 })),
  };
}
