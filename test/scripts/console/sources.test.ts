import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BUILD_STAMP } from '../../../scripts/build-stamp.ts';
import { builtConsole, digestOfConsole, isConsoleBuilt } from '../../../scripts/console/sources.ts';

let tree: string;
beforeAll(async () => {
  tree = await mkdtemp(join(tmpdir(), 'calibron-console-tree-'));
  for (const name of [
    'console/src/pages/chips.tsx',
    'console/index.html',
    'console/vite.config.ts',
    'packages/client/client.ts',
    'package-lock.json',
  ]) {
    await write(name, name);
  }
});
afterAll(() => rm(tree, { recursive: true }));

async function write(name: string, text: string): Promise<void> {
  await mkdir(dirname(join(tree, name)), { recursive: true });
  await writeFile(join(tree, name), text);
}

test('a console without built files is not built', async () => {
  expect(await isConsoleBuilt(tree)).toBe(false);
});

test.each(['console/src/pages/chips.tsx', 'packages/client/client.ts', 'package-lock.json'])(
  'a built console is outdated when %s changes',
  async (changed) => {
    await mkdir(builtConsole(tree), { recursive: true });
    await writeFile(join(builtConsole(tree), BUILD_STAMP), await digestOfConsole(tree));
    expect(await isConsoleBuilt(tree)).toBe(true);
    await write(changed, 'something else');
    expect(await isConsoleBuilt(tree)).toBe(false);
  },
);
