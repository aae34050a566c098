import { workflowContract } from '../../kernel/engine/workflow-contract.ts';

/** Which backend is asked, and how many of its workers. */
export interface DescriptionRequest {
  backend: string;
  calls: number;
}

/** Asks the workers of a backend to describe themselves. */
export const backendDescription =
  workflowContract<(request: DescriptionRequest) => Promise<void>>('backendDescription');

/** Id of the workflow that asks the workers of a backend. */
export function backendDescriptionWorkflowId(backend: string): string {
  return `describe-backend:${backend}`;
}
