import { isoTime } from '../../kernel/time.ts';
import { shownFilePaths } from '../artifacts/path-rules.ts';
import type { KnowledgeCase, KnowledgeCaseDocument } from './model.ts';

/** The stored case, with the paths of its figures as clients see them. `root`: of the calibration data. */
export function shownCaseOf(root: string, stored: KnowledgeCaseDocument): KnowledgeCase {
  return { ...knowledgeCaseOf(stored), figure_paths: shownFilePaths(root, stored.figure_paths, stored) };
}

/** The stored case as pages about tasks show it. */
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
