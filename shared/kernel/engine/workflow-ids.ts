/** Id of the one workflow that holds a project: as long as it is open, the project is locked. */
export function lockWorkflowId(projectId: string): string {
  return `exec:${projectId}`;
}

/** Id of the child workflow that runs stage `index` of an execution. */
export function stageWorkflowId(projectId: string, executionId: string, index: number): string {
  return `exec:${projectId}/${executionId}/${index}`;
}

/** Queue of workflows and of their record keeping. */
export const CALIBRATION_QUEUE = 'calibration';

/** Queue of the steps of flows, so that flows which compute hold up no record keeping. */
export const FLOW_QUEUE = 'flows';

/** Queue that the workers of a backend serve. */
export function backendQueue(backend: string): string {
  return `backend:${backend}`;
}

/** Names under which workflows are registered and started. */
export const workflowNames = {
  calibrationRun: 'calibrationRun',
  singleTaskRun: 'singleTaskRun',
  stage: 'stage',
  scheduledStart: 'scheduledStart',
  projectDeletion: 'projectDeletion',
} as const;
