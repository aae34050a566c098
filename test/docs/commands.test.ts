import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { guidePages } from '../../scripts/guide/contents.ts';
import { packageRoot } from '../../shared/kernel/package-root.ts';

const root = fileURLToPath(packageRoot);
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** What runs the shell commands of a page, and why no test runs the others unchanged. */
const COMMANDS: Record<string, { blocks: number; because: string; tests: readonly string[] }> = {
  'README.md': {
    blocks: 2,
    because: 'The two that start and test everything are what this test runs in.',
    tests: ['test/docs/executed-commands.test.ts', 'test/scripts/start/start.test.ts'],
  },
  'CONTRIBUTING.md': { blocks: 1, because: 'They are what runs the tests.', tests: [] },
  'docs/agents.md': {
    blocks: 1,
    because: 'It needs an installation; the example runs with one of the tests.',
    tests: ['test/scripts/examples/agent.test.ts'],
  },
  'docs/alerts.md': {
    blocks: 1,
    because: 'All run.',
    tests: ['test/docs/executed-commands.test.ts'],
  },
  'docs/backend-contract.md': { blocks: 1, because: 'It needs a measurement in progress.', tests: [] },
  'docs/backup.md': {
    blocks: 7,
    because: 'They name the folders of an installation.',
    tests: ['test/scripts/backup/backup.test.ts', 'test/docs/executed-commands.test.ts'],
  },
  'docs/clients.md': {
    blocks: 1,
    because: 'All run, on the address of the test.',
    tests: ['test/docs/executed-commands.test.ts'],
  },
  'docs/kubernetes.md': {
    blocks: 1,
    because: 'They need a cluster and a registry.',
    tests: ['test/docs/kubernetes.test.ts'],
  },
  'docs/maintenance.md': {
    blocks: 1,
    because: 'All run.',
    tests: ['test/docs/executed-commands.test.ts'],
  },
  'docs/mongodb.md': {
    blocks: 2,
    because: 'They name the store of an installation.',
    tests: ['test/scripts/store/copy.test.ts', 'test/docs/executed-commands.test.ts'],
  },
  'docs/operating.md': {
    blocks: 8,
    because: 'Those that set up services of a lab need them.',
    tests: ['test/docs/executed-commands.test.ts'],
  },
  'docs/python.md': {
    blocks: 2,
    because:
      'They install from PyPI, and declare an instrument to a running service; the wheel is installed instead.',
    tests: ['test/python/package.test.ts'],
  },
  'docs/running.md': { blocks: 1, because: 'It needs mongosh and an installation.', tests: [] },
  'docs/temporal-cloud.md': { blocks: 1, because: 'They need an account of Temporal Cloud.', tests: [] },
  'docs/upgrading.md': {
    blocks: 2,
    because: 'They need Docker or a later release, and an installation.',
    tests: ['test/docs/compose.test.ts', 'test/scripts/start/start.test.ts'],
  },
  'docs/versions.md': { blocks: 3, because: 'They name the releases of an installation.', tests: [] },
  'docs/your-own-chip.md': {
    blocks: 4,
    because: 'All run.',
    tests: ['test/docs/executed-commands.test.ts'],
  },
};

const blocksOf = (file: string) =>
  [...read(file).matchAll(/^ *```(?:sh|bash|shell|console)\n([\s\S]*?)^ *```/gm)].map(
    ([, block = '']) => block,
  );
const pages = guidePages.map(({ file }) => file).filter((file) => blocksOf(file).length > 0);

const scripts = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(read('package.json')));
const { version } = z.object({ version: z.string() }).parse(JSON.parse(read('package.json')));
const document = z
  .object({ paths: z.record(z.string(), z.unknown()) })
  .parse(JSON.parse(read(`docs/openapi/${version}.json`)));
const addresses = Object.keys(document.paths).map(
  (path) => new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`),
);

test('every page with shell commands says here what runs them, or why nothing does', () => {
  const known = Object.entries(COMMANDS).map(([file, { blocks }]) => [file, blocks]);
  expect(pages.map((file) => [file, blocksOf(file).length]).sort()).toEqual(known.sort());
  for (const { tests } of Object.values(COMMANDS)) {
    for (const file of tests) expect(existsSync(join(root, file)), file).toBe(true);
  }
});

describe.each(pages)('the shell commands of %s', (page) => {
  const blocks = blocksOf(page);
  const all = blocks.join('\n');

  test('are correct for a shell', () => {
    for (const block of blocks)
      execFileSync('bash', ['-n'], { input: block, stdio: ['pipe', 'pipe', 'pipe'] });
  });

  test('name scripts and files that are there', () => {
    for (const [, name = ''] of all.matchAll(/npm run (?:--silent )?([a-z][\w:-]*)/g)) {
      expect(Object.keys(scripts.scripts)).toContain(name);
    }
    for (const [, path = ''] of all.matchAll(/node dist\/(\S+)\.js/g)) {
      expect(existsSync(join(root, `${path}.ts`)), path).toBe(true);
    }
    for (const [path] of all.matchAll(/(?<![\w./-])(?:config|docs|scripts|python)\/[\w./-]+\.\w+/g)) {
      expect(existsSync(join(root, path)), path).toBe(true);
    }
  });

  test('ask for addresses that the interface has', () => {
    for (const [, path = ''] of all.matchAll(/\$API(\/[^\s"'?]+)/g)) {
      const plain = path.replaceAll(/\$\{?\w+\}?/g, 'x');
      expect(
        addresses.some((address) => address.test(plain)),
        path,
      ).toBe(true);
    }
  });
});
