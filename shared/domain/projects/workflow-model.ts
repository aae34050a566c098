import { workflowContract } from '../../kernel/engine/workflow-contract.ts';
import type { ProjectDeletionInput } from './model.ts';

/** Deletes the records and files of a project, under the id of its lock. */
export const projectDeletion =
  workflowContract<(input: ProjectDeletionInput) => Promise<void>>('projectDeletion');
