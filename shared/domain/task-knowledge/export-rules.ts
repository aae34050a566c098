import { dirname, extname, join } from 'node:path/posix';
import { findTask } from '../../tasks/catalog.ts';
import type { KnowledgeCase } from '../knowledge-cases/model.ts';
import { casePage, casePageName } from '../knowledge-cases/page-rules.ts';
import type { CasePicture } from './case-pictures.ts';
import { knowledgeFolderOf } from './rules.ts';

type Exported = Pick<KnowledgeCase, 'id' | 'task_name' | 'title' | 'date'>;

/** A name in plain letters, for paths and branches. */
const plain = (name: string) => name.replace(/[^A-Za-z0-9_-]+/g, '-').replace(/^-+|-+$/g, '') || 'task';

/** Path of a case's page within the configuration. */
export function pathOfCase(exported: Exported): string {
  const task = findTask(exported.task_name);
  const folder = task ? knowledgeFolderOf(task) : `other/${plain(exported.task_name)}`;
  return `task-knowledge/${folder}/cases/${casePageName(exported)}`;
}

/** A file of an export, by its path within the configuration. */
export interface ExportedFile {
  path: string;
  content: string | Uint8Array;
}

/**
 * The page of a case and the pictures stored beside it, whose names are derived from the page's; the page comes last.
 * Pictures on the web are only linked, and missing ones are left out.
 */
export function filesOfCase(written: KnowledgeCase, pictures: readonly CasePicture[]): ExportedFile[] {
  const path = pathOfCase(written);
  const stem = casePageName(written).replace(/\.md$/, '');
  const files: ExportedFile[] = [];
  const addresses: string[] = [];
  for (const { address, content } of pictures) {
    if (content) {
      const name = `${stem}_${addresses.length + 1}${extname(address).toLowerCase()}`;
      files.push({ path: join(dirname(path), 'figures', name), content });
      addresses.push(`./figures/${name}`);
    } else if (/^https?:\/\//i.test(address)) {
      addresses.push(address);
    }
  }
  return [...files, { path, content: `${casePage(written, 1, addresses)}\n` }];
}

/** The branch for the page of a case: its task, the time of approval (UTC), and the start of its id. */
export function branchOfCase({ id, task_name }: Exported, approvedAt: Date): string {
  const [day = '', time = ''] = approvedAt.toISOString().slice(0, 19).replace(/[-:]/g, '').split('T');
  return `knowledge/${plain(task_name)}/${day}-${time}-${id.slice(0, 8)}`;
}

/** Web address of a pushed branch; null for a repository without web pages. */
export function branchAddress(repository: string, branch: string): string | null {
  if (!repository.startsWith('https://')) return null;
  return `${repository.replace(/\/$/, '').replace(/\.git$/, '')}/tree/${branch}`;
}
