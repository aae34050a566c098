import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { settingRows, settingsTable } from '../../scripts/settings-table.ts';
import { taskPage } from '../../scripts/task-tables.ts';
import { packageRoot } from '../../shared/kernel/package-root.ts';

const root = fileURLToPath(packageRoot);
const readme = readFileSync(join(root, 'README.md'), 'utf8');

test('describes every setting', () => {
  expect(settingRows().filter(({ description }) => description === '')).toEqual([]);
});

test('has the table of settings as the code has it (npm run settings writes it)', () => {
  const settings = readFileSync(join(root, 'docs/settings.md'), 'utf8');
  const [, table] = /<!-- settings -->\n([\s\S]*?)\n<!-- \/settings -->/.exec(settings) ?? [];
  expect(table?.trim()).toBe(settingsTable());
});

test('is a front page of at most 150 lines', () => {
  expect(readme.split('\n').length).toBeLessThanOrEqual(150);
});

test('shows only figures that are there and small', () => {
  const figures = [...readme.matchAll(/!\[[^\]]*\]\(([^)]+)\)/g)].map((match) => match[1] ?? '');
  expect(figures.length).toBeGreaterThan(0);
  for (const figure of figures) expect(statSync(join(root, figure)).size).toBeLessThan(60_000);
});

test('comes with a page of all tasks as the catalog has them (npm run tasks writes it)', async () => {
  expect(readFileSync(join(root, 'docs/tasks.md'), 'utf8')).toBe(await taskPage());
}, 180_000);
