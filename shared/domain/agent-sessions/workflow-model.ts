import { workflowContract } from '../../kernel/engine/workflow-contract.ts';
import type { ApplyInput } from './apply-model.ts';

/** Applies an agent's commit to the backend's files. */
export const candidateApply = workflowContract<(input: ApplyInput) => Promise<void>>('candidateApply');

/** Id of the workflow that applies an agent's commit to the backend's files. */
export function applyWorkflowId(commitId: string): string {
  return `apply:${commitId}`;
}
