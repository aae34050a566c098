import type { ExecutionId, ProjectId } from '../ids.ts';

/** Id of the workflow that holds a project. While it is open, the project is locked. */
export function lockWorkflowId(projectId: ProjectId): string {
  return `exec:${projectId}`;
}

/** Id of the workflow of a run: the one that holds the project, or a child of it if the run preempts another one. */
export function runWorkflowId(run: {
  project_id: ProjectId;
  execution_id: ExecutionId;
  preempts?: string | null | undefined;
}): string {
  const lock = lockWorkflowId(run.project_id);
  return run.preempts ? `${lock}/${run.execution_id}` : lock;
}

/** Id of the child workflow that runs stage `index` of an execution. */
export function stageWorkflowId(projectId: ProjectId, executionId: ExecutionId, index: number): string {
  return `exec:${projectId}/${executionId}/${index}`;
}

/** Queue of workflows and their record keeping. */
export const CALIBRATION_QUEUE = 'calibration';

/** Queue of flow steps, so that long computations in flows do not delay record keeping. */
export const FLOW_QUEUE = 'flows';

/** Queue of reviews, so that slow language models do not delay record keeping. */
export const REVIEW_QUEUE = 'review';

const BACKEND_PREFIX = 'backend:';

/** Queue served by the workers of a backend. */
export function backendQueue(backend: string): string {
  return `${BACKEND_PREFIX}${backend}`;
}

/** Whether a queue is served by the workers of a backend. */
export function isBackendQueue(queue: string): boolean {
  return queue.startsWith(BACKEND_PREFIX);
}

/** Id of the one workflow that updates the installation. */
export const SYSTEM_UPDATE_ID = 'system-update';

/** Queue served only by the updater. */
export const SYSTEM_QUEUE = 'system';

/** Id of the workflow whose memo holds the installation id if the namespace's data is not writable. */
export const INSTALLATION_MARK_ID = 'calibron-installation';

/** Its queue, which no worker serves. */
export const INSTALLATION_MARK_QUEUE = 'calibron-installation';
