import { dirname, join } from 'node:path/posix';
import { findTask } from '../../tasks/catalog.ts';
import type { KnowledgeCase } from '../knowledge-cases/model.ts';
import { casePage, casePageName } from '../knowledge-cases/page-rules.ts';
import type { CasePicture } from './case-figures.ts';
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

/** A file of an export, by its path within the configuration. */
export interface ExportedFile {
  path: string;
  content: string | Uint8Array;
}

/** The page of a case with the pictures that stand beside it, under names made of the page's; the page comes last. */
export function filesOfCase(written: KnowledgeCase, pictures: readonly CasePicture[]): ExportedFile[] {
  const path = pathOfCase(written);
  const stem = casePageName(written).replace(/\.md$/, '');
  const shown = pictures.map((picture, index) =>
    'address' in picture
      ? { address: picture.address, files: [] }
      : {
          address: `./figures/${stem}_${index + 1}${picture.ending}`,
          files: [
            {
              path: join(dirname(path), 'figures', `${stem}_${index + 1}${picture.ending}`),
              content: picture.content,
            },
          ],
        },
  );
  const addresses = shown.map(({ address }) => address);
  const page = { path, content: `${casePage(written, 1, addresses)}\n` };
  return [...shown.flatMap(({ files }) => files), page];
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
