import { proxyActivities } from '@temporalio/workflow';
import type { KnowledgeActivities } from '../activities/contracts/chat.ts';
import type { ExportedCase } from '../shared/domain/knowledge-cases/model.ts';

const { writeKnowledgePage } = proxyActivities<KnowledgeActivities>({
  startToCloseTimeout: '5 minutes',
  // The repository may be away until an operator repairs it. After a week the export must be requested again.
  scheduleToCloseTimeout: '7 days',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '10 minutes' },
  summary: 'write the page of the case',
});

/** Exports an approved knowledge case. The workflow id is that of the case, so only one workflow writes its page. */
export async function knowledgeExport(exported: ExportedCase): Promise<void> {
  await writeKnowledgePage(exported);
}
