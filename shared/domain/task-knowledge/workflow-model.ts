import { workflowContract } from '../../kernel/engine/workflow-contract.ts';
import type { ProjectId } from '../../kernel/ids.ts';
import type { ExportedCase } from '../knowledge-cases/model.ts';

/** Exports an approved knowledge case. */
export const knowledgeExport = workflowContract<(exported: ExportedCase) => Promise<void>>('knowledgeExport');

/** Id of the workflow that exports a knowledge case. */
export function knowledgeExportWorkflowId(projectId: ProjectId, caseId: string): string {
  return `knowledge-export:${projectId}/${caseId}`;
}
