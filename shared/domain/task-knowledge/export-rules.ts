import { findTask } from '../../tasks/catalog.ts';
import type { KnowledgeCase } from '../knowledge-cases/model.ts';
import { casePageName } from '../knowledge-cases/page-rules.ts';
import { knowledgeFolderOf } from './rules.ts';

type Exported = Pick<KnowledgeCase, 'id' | 'task_name' | 'title' | 'date'>;

/** A name in plain letters, for paths and branches. */
const plain = (name: string) => name.replace(/[^A-Za-z0-9_-]+/g, '-').replace(/^-+|-+$/g, '') || 'task';

/** Where the page of a case stands within the configuration. */
export function pathOfCase(exported: Exported): string {
  const task = findTask(exported.task_name);
  const folder = task ? knowledgeFolderOf(task) : `other/${plain(exported.task_name)}`;
  return `task-knowledge/${folder}/cases/${casePageName(exported)}`;
}

/** The branch that brings the page of a case: its task, when it was approved (UTC), and the beginning of its id. */
export function branchOfCase({ id, task_name }: Exported, approvedAt: Date): string {
  const [day = '', time = ''] = approvedAt.toISOString().slice(0, 19).replace(/[-:]/g, '').split('T');
  return `knowledge/${plain(task_name)}/${day}-${time}-${id.slice(0, 8)}`;
}

/** Where a pushed branch is looked at; null for a repository that is no page of the web. */
export function branchAddress(repository: string, branch: string): string | null {
  if (!repository.startsWith('https://')) return null;
  return `${repository.replace(/\/$/, '').replace(/\.git$/, '')}/tree/${branch}`;
}
