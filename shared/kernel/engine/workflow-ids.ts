/** Id of the workflow that holds a project. While it is open, the project is locked. */
export function lockWorkflowId(projectId: string): string {
  return `exec:${projectId}`;
}

/** Id of the child workflow that runs stage `index` of an execution. */
export function stageWorkflowId(projectId: string, executionId: string, index: number): string {
  return `exec:${projectId}/${executionId}/${index}`;
}

/** Id of the workflow that reviews results. The id of a review run is random or derived from random ids. */
export function reviewWorkflowId(reviewRunId: string): string {
  return `review:${reviewRunId}`;
}

/** Id of the workflow that sends the messages of one thread to the lab's chat. */
export function chatWorkflowId(projectId: string, kind: string, threadId: string): string {
  return `chat:${projectId}/${kind}/${threadId}`;
}

/** Id of the workflow that exports a knowledge case. */
export function knowledgeExportWorkflowId(projectId: string, caseId: string): string {
  return `knowledge-export:${projectId}/${caseId}`;
}

/** Id of the workflow that applies an agent's commit to the backend's files. */
export function applyWorkflowId(commitId: string): string {
  return `apply:${commitId}`;
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

/** Id of the workflow that looks up available versions. Concurrent requests share its answer. */
export const INSTALLATION_LOOK_ID = 'system-update/look';

/** Queue served only by the updater. */
export const SYSTEM_QUEUE = 'system';

/** Id of the workflow whose memo holds the installation id if the namespace's data is not writable. */
export const INSTALLATION_MARK_ID = 'calibron-installation';

/** Its queue, which no worker serves. */
export const INSTALLATION_MARK_QUEUE = 'calibron-installation';

/** Names under which workflows are registered and started. */
export const workflowNames = {
  calibrationRun: 'calibrationRun',
  singleTaskRun: 'singleTaskRun',
  stage: 'stage',
  scheduledStart: 'scheduledStart',
  projectDeletion: 'projectDeletion',
  systemUpdate: 'systemUpdate',
  installationLook: 'installationLook',
  aiReviewBatch: 'aiReviewBatch',
  chatDelivery: 'chatDelivery',
  knowledgeExport: 'knowledgeExport',
  candidateApply: 'candidateApply',
} as const;
