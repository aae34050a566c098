import { proxyActivities } from '@temporalio/workflow';
import type { KnowledgeActivities } from '../activities/contracts/chat.ts';
import type { ExportedCase } from '../shared/domain/knowledge-cases/model.ts';

const { writeKnowledgePage } = proxyActivities<KnowledgeActivities>({
  startToCloseTimeout: '5 minutes',
  // The repository comes back, or an operator mends it; after a week the export has to be asked for again.
  scheduleToCloseTimeout: '7 days',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '10 minutes' },
  summary: 'write the page of the case',
});

/** Exports an approved knowledge case. Its id is the case's, so that no two write one page. */
export async function knowledgeExport(exported: ExportedCase): Promise<void> {
  await writeKnowledgePage(exported);
}
