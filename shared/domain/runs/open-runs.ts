import type { ExecutionStore } from '../executions/index.ts';

/** Runs beyond which none is counted; a project has one at most. */
const COUNTED = 10_000;

/** How the open runs of all projects stand, for metrics. */
export interface OpenRuns {
  open: number;
  /** Of these, how many something keeps from going on. */
  stuck: number;
  /** The projects that are held, and for how many seconds each. */
  held: { project_id: string; seconds: number }[];
}

/** Read from the store, so that every process tells the same, whoever made the reconciler's last round. */
export async function readOpenRuns(executions: Pick<ExecutionStore, 'openRuns'>): Promise<OpenRuns> {
  const runs = await executions.openRuns(COUNTED);
  const now = Date.now();
  return {
    open: runs.length,
    stuck: runs.filter(({ stuck }) => stuck).length,
    held: runs.map(({ project_id, since }) => ({ project_id, seconds: (now - since.getTime()) / 1000 })),
  };
}
