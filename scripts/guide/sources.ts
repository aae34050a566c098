import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../../shared/kernel/package-root.ts';
import { guidePages } from './contents.ts';

const root = fileURLToPath(packageRoot);

/** The built guide, from which the API serves it. */
export const builtGuide = join(root, 'docs/site/dist');

/** File beside the built ones, with the digest of their sources. */
export const GUIDE_STAMP = '.sources';

/** Whether the guide was built from the sources with this digest. */
export async function isGuideBuilt(into: string, sources?: string): Promise<boolean> {
  const stamp = await readFile(join(into, GUIDE_STAMP), 'utf8').catch(() => '');
  return stamp !== '' && stamp === (sources ?? (await digestOfGuide()));
}

/** Digest of the pages, of their templates and of the programs that render them. */
export async function digestOfGuide(): Promise<string> {
  const templates = ['_includes/page.njk', 'style.css', 'search.js'].map((name) => `docs/site/${name}`);
  const programs = ['built-guide', 'contents', 'diagrams', 'headings', 'page-rendering'].map(
    (name) => `scripts/guide/${name}.ts`,
  );
  const hash = createHash('sha256');
  for (const file of [
    ...guidePages.map((page) => page.file),
    ...templates,
    ...programs,
    'package-lock.json',
  ]) {
    hash.update(`${file}\0`).update(await readFile(join(root, file)));
  }
  return hash.digest('hex');
}
