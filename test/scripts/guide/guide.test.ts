import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildGuide, problemsOf } from '../../../scripts/guide/built-guide.ts';
import { builtName, guidePages } from '../../../scripts/guide/contents.ts';
import { createPageRendering } from '../../../scripts/guide/page-rendering.ts';
import { packageRoot } from '../../../shared/kernel/package-root.ts';

const root = fileURLToPath(packageRoot);
let built: string;
beforeAll(async () => {
  built = await mkdtemp(join(tmpdir(), 'calibron-guide-'));
  await buildGuide(built);
}, 120_000);
afterAll(() => rm(built, { recursive: true }));

const page = (name: string) => readFile(join(built, name), 'utf8');

test('each page of the docs is in the guide once', () => {
  const docs = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));
  const shown = guidePages.map(({ file }) => file);
  expect(shown.filter((file) => file.startsWith('docs/')).sort()).toEqual(
    docs.map((name) => `docs/${name}`).sort(),
  );
  expect(new Set(guidePages.map(builtName)).size).toBe(shown.length);
});

test('pages are complete without scripts, and have nothing inline and nothing of another origin', async () => {
  const files = (await readdir(built)).filter((name) => name.endsWith('.html'));
  expect(files.sort()).toEqual(guidePages.map(builtName).sort());
  for (const file of files) {
    const text = await page(file);
    expect(text, file).not.toMatch(/<script>|<style|<[^>]+ style=|<[^>]+ on[a-z]+=/);
    expect(text, file).not.toMatch(/<(?:script|link|img)[^>]+(?:src|href)="(?:https?:)?\/\//);
    expect(text, file).toContain('aria-current="page"');
    expect(text, file).toContain('href="icon.svg"');
  }
  expect(await page('icon.svg')).toContain('<svg');
  for (const file of ['style.css', 'search.js'])
    expect(await page(file)).not.toMatch(/@import|url\(|https?:\/\/\S+\.js/);
});

test('links lead from page to page, and to headings as they are named on GitHub', async () => {
  expect(await page('index.html')).toContain('<a href="your-own-chip.html">docs/your-own-chip.md</a>');
  expect(await page('python.html')).toContain(
    '<a href="operating.html#temporal-cloud-and-secured-clusters">',
  );
  expect(await page('operating.html')).toContain('id="temporal-cloud-and-secured-clusters"');
});

test('every file that a page links to is in the repository', () => {
  const { markdown, read } = createPageRendering(root);
  for (const { file, title } of guidePages) {
    markdown.render(readFileSync(join(root, file), 'utf8'), { file, title });
  }
  const missing = [...read.values()].flatMap(({ file, files }) =>
    files.filter((each) => !existsSync(join(root, each))).map((each) => `${file}: ${each}`),
  );
  expect(missing).toEqual([]);
  expect([...read.values()].flatMap(({ files }) => files).length).toBeGreaterThan(20);
});

test('a link that leads nowhere is named', () => {
  const { markdown, read } = createPageRendering(root);
  const text = '# Limits\n\n[a](settings.md#nothing) [b](#limits) [c](#none) ![d](none.png)';
  markdown.render(text, { file: 'docs/limits.md', title: 'Limits' });
  markdown.render('# Settings', { file: 'docs/settings.md', title: 'Settings' });
  expect(problemsOf(read)).toEqual([
    'docs/limits.md shows none.png, which does not exist.',
    'docs/limits.md links to settings.html#nothing, which has no such heading.',
    'docs/limits.md links to limits.html#none, which has no such heading.',
  ]);
});

test('diagrams are pictures, with colours of the style sheet and ids of their own', async () => {
  const architecture = await page('architecture.html');
  expect(architecture).not.toContain('language-mermaid');
  const [storeys = '', ...others] = architecture.match(/<svg[\s\S]*?<\/svg>/g) ?? [];
  expect(others.length).toBe(4);
  expect(storeys).toContain('aria-label="Diagram: storeys"');
  expect(storeys).toContain('shared/kernel: nothing of quantum chips');
  const ids = [...architecture.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const [, id] of architecture.matchAll(/url\(#([^)]+)\)/g)) expect(ids).toContain(id);
  const style = await page('style.css');
  for (const [, name] of architecture.matchAll(/var\((--[\w-]+)\)/g)) expect(style).toContain(`${name}:`);
  expect(await page('search.json')).not.toContain('sequenceDiagram');
});

test('a diagram that cannot be drawn is named', () => {
  const { markdown, read } = createPageRendering(root);
  markdown.render('```mermaid\nno such thing\n```', { file: 'docs/limits.md', title: 'Limits' });
  expect(problemsOf(read)).toEqual([
    expect.stringMatching(/^docs\/limits\.md has a diagram that cannot be drawn: /),
  ]);
});

test('the search knows the headings and texts of all pages', async () => {
  const parts = JSON.parse(await page('search.json'));
  const limits = parts.find(({ id }: { id: string }) => id.startsWith('limits.html'));
  expect(limits).toMatchObject({ page: 'Limits', text: expect.any(String) });
  const ids = parts.map(({ id }: { id: string }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});
