import type { ExecutionStore } from '../executions/index.ts';

/** Runs beyond which none is counted; a project has one at most. */
const COUNTED = 10_000;

/** How the open runs of all projects stand, for metrics. */
export interface OpenRuns {
  open: number;
  /** Of these, how many something keeps from going on. */
  stuck: number;
  /** Seconds that a run holds its project at most; 0 without a run. */
  longest: number;
}

/** Read from the store, so that every process tells the same, whoever made the reconciler's last round. */
export async function readOpenRuns(executions: Pick<ExecutionStore, 'openRuns'>): Promise<OpenRuns> {
  const runs = await executions.openRuns(COUNTED);
  const ages = runs.map(({ since }) => (Date.now() - since.getTime()) / 1000);
  return {
    open: runs.length,
    stuck: runs.filter(({ stuck }) => stuck).length,
    longest: Math.max(0, ...ages),
  };
}
