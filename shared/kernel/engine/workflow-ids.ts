/** Id of the one workflow that holds a project: as long as it is open, the project is locked. */
export function lockWorkflowId(projectId: string): string {
  return `exec:${projectId}`;
}

/** Id of the child workflow that runs stage `index` of an execution. */
export function stageWorkflowId(projectId: string, executionId: string, index: number): string {
  return `exec:${projectId}/${executionId}/${index}`;
}

/** Id of the workflow that reviews results; the id of a run of reviews is random or derived from random ones. */
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

/** Id of the workflow that brings an agent's commit into the backend's files. */
export function applyWorkflowId(commitId: string): string {
  return `apply:${commitId}`;
}

/** Queue of workflows and of their record keeping. */
export const CALIBRATION_QUEUE = 'calibration';

/** Queue of the steps of flows, so that flows which compute hold up no record keeping. */
export const FLOW_QUEUE = 'flows';

/** Queue of reviews, so that slow language models hold up no record keeping. */
export const REVIEW_QUEUE = 'review';

/** Queue that the workers of a backend serve. */
export function backendQueue(backend: string): string {
  return `backend:${backend}`;
}

/** Id of the one workflow that updates the installation. */
export const SYSTEM_UPDATE_ID = 'system-update';

/** Id of the workflow that looks which versions there are; who asks meanwhile shares its answer. */
export const INSTALLATION_LOOK_ID = 'system-update/look';

/** Queue that the updater serves, alone. */
export const SYSTEM_QUEUE = 'system';

/** Id of the workflow whose memo holds the installation id, where the namespace's data may not be written. */
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
