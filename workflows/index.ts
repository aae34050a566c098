/** Entry point of the bundle. Exports every workflow under the name that starts it. */
export { aiReviewBatch } from './ai-review-batch.ts';
export { backendDescription } from './backend-description.ts';
export { calibrationRun } from './calibration-run.ts';
export { candidateApply } from './candidate-apply.ts';
export { chatDelivery } from './chat-delivery.ts';
export { knowledgeExport } from './knowledge-export.ts';
export { ownAnalysis } from './own-analysis.ts';
export { projectDeletion } from './project-deletion.ts';
export { scheduledStart } from './scheduled-start.ts';
export { singleTaskRun } from './single-task-run.ts';
export { stage } from './stage.ts';
