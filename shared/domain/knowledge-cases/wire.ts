import { isoTime } from '../../kernel/time.ts';
import type { KnowledgeCase, KnowledgeCaseDocument } from './model.ts';

/** The stored case as the API shows it. */
export function knowledgeCaseOf(stored: KnowledgeCaseDocument): KnowledgeCase {
  const { _id, project_id, number, case_id, reviewed_at, created_at, updated_at, ...shown } = stored;
  return {
    id: case_id,
    ...shown,
    resolution_status: 'resolved',
    created_at: isoTime(created_at),
    updated_at: isoTime(updated_at),
  };
}
