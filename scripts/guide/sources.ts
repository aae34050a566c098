import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../../shared/kernel/package-root.ts';
import { digestOfFiles, isBuiltFrom } from '../build-stamp.ts';
import { guidePages } from './contents.ts';

const root = fileURLToPath(packageRoot);

/** The built guide, from which the API serves it. */
export const builtGuide = join(root, 'docs/site/dist');

/** The picture of the tab, which the console has too. */
export const GUIDE_ICON = 'console/src/icon.svg';

/** Whether the guide was built from its present sources. */
export async function isGuideBuilt(): Promise<boolean> {
  return isBuiltFrom(await digestOfGuide(), builtGuide);
}

/** Digest of the pages, of their templates and of the programs that render them. */
export async function digestOfGuide(): Promise<string> {
  const templates = ['_includes/page.njk', 'style.css', 'search.js'].map((name) => `docs/site/${name}`);
  const programs = ['built-guide', 'contents', 'diagrams', 'headings', 'page-rendering'].map(
    (name) => `scripts/guide/${name}.ts`,
  );
  return digestOfFiles(root, [
    ...guidePages.map((page) => page.file),
    ...templates,
    GUIDE_ICON,
    ...programs,
    'package-lock.json',
  ]);
}
