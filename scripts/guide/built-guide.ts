import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Eleventy from '@11ty/eleventy';
import { build } from 'esbuild';
import { packageRoot } from '../../shared/kernel/package-root.ts';
import { BUILD_STAMP, isBuiltFrom } from '../build-stamp.ts';
import { compressFiles } from '../compressed-files.ts';
import { replaceTree } from '../replace-tree.ts';
import { builtName, guidePages, guideSections } from './contents.ts';
import { createPageRendering, type ReadPage } from './page-rendering.ts';
import { builtGuide, digestOfGuide, GUIDE_ICON } from './sources.ts';

const root = fileURLToPath(packageRoot);
const TEMPLATES = join(root, 'docs/site');

/**
 * Builds the guide: a page for each markdown file, and the search. Needs no network. Does nothing if its sources are unchanged
 * since the last time.
 * @param into folder, which is replaced file by file; a running API never serves a partially written guide
 * @throws with every link to a page or an image that leads nowhere
 */
export async function buildGuide(into = builtGuide): Promise<void> {
  const sources = await digestOfGuide();
  if (await isBuiltFrom(sources, into)) return;
  const directory = join(tmpdir(), `calibron-guide-${process.pid}-${Date.now()}`);
  try {
    await mkdir(directory);
    const pages = await writePages(directory);
    const problems = problemsOf(pages);
    if (problems.length > 0) throw new Error(problems.join('\n'));
    const parts = [...pages.values()].flatMap((page) => page.parts);
    await writeFile(join(directory, 'search.json'), JSON.stringify(parts));
    await build({
      entryPoints: [join(TEMPLATES, 'search.js')],
      outfile: join(directory, 'search.js'),
      bundle: true,
      minify: true,
      format: 'iife',
      target: 'es2022',
      logLevel: 'error',
    });
    await compressFiles(directory);
    await writeFile(join(directory, BUILD_STAMP), sources);
    await replaceTree(directory, into);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Renders all pages. @returns what is in them, by their built file */
async function writePages(directory: string): Promise<Map<string, ReadPage>> {
  const { markdown, read } = createPageRendering(root);
  const sections = guideSections.map((section) => ({
    ...section,
    pages: section.pages.map((page) => ({ title: page.title, href: builtName(page) })),
  }));
  const texts = await Promise.all(guidePages.map(({ file }) => readFile(join(root, file), 'utf8')));
  const eleventy = new Eleventy(TEMPLATES, directory, {
    quietMode: true,
    configPath: null,
    config(config) {
      config.setLibrary('md', markdown);
      config.setTemplateFormats(['md']);
      for (const [index, page] of guidePages.entries()) {
        const here = builtName(page);
        const data = { layout: 'page.njk', permalink: here, ...page, here, sections };
        config.addTemplate(here.replace(/html$/, 'md'), texts[index] ?? '', data);
      }
      return {
        markdownTemplateEngine: false,
        dir: { input: TEMPLATES, output: directory, includes: '_includes' },
      };
    },
  });
  await eleventy.write();
  const images = new Set([...read.values()].flatMap((page) => page.images));
  for (const image of images) {
    await writeFile(join(directory, basename(image)), await readFile(join(root, image)));
  }
  await writeFile(join(directory, 'style.css'), await readFile(join(TEMPLATES, 'style.css')));
  await writeFile(join(directory, 'icon.svg'), await readFile(join(root, GUIDE_ICON)));
  return read;
}

/** Messages about links and images that lead nowhere. */
export function problemsOf(pages: ReadonlyMap<string, ReadPage>): string[] {
  return [...pages.values()].flatMap(({ file, links, problems }) => [
    ...problems,
    ...links.flatMap(({ page, name }) =>
      name === '' || pages.get(page)?.names.includes(name)
        ? []
        : [`${file} links to ${page}#${name}, which has no such heading.`],
    ),
  ]);
}
