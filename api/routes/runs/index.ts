export { approvalRoutes } from './approvals.ts';
export { executionEventRoutes } from './execution-events.ts';
export { executionStageRoutes } from './execution-stages.ts';
export { executionRoutes } from './executions.ts';
export { measurementUploadRoutes } from './measurement-uploads.ts';
export { repeatRoutes } from './repeats.ts';
export { runControlRoutes } from './run-control.ts';
export { spentTimeRoutes } from './spent-time.ts';
