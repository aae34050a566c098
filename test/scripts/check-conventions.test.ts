import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { breaches, closedReferences, smallConstants } from '../../scripts/check-conventions.ts';

/** The bar keeps the planted references from being found in this file itself. */
const plant = (text: string) => text.replaceAll('|', '');

test.each([
  '/** Seconds a measurement may take (fa|cts-calibration 0.2). */',
  '/** What clients show (fa|cts, chips and tasks 8.2). */',
  '/** pa|rt A 2.6 */',
  '/** Pa|rt C 2.5 */',
  '/** What it costs (de|sign 8). */',
  ' * Measured on two cores (de|sign,\n * sec|tion 6)',
  '// as de|sign.md says',
  '/** Answer of a start (sp|ec README, executions). */',
  '# the store, sec|tion 6',
  'see \u{a7} 3',
  '/** As iss|ue 14 asks. */',
  'closes iss|ue #7',
  ' * (Sheldon et| al., PR|A 93, 060302)',
  ' * PR|L 103, 110501',
  '// arX|iv:1603.04821',
  ' * the variance (And|erson 1963).',
  ' * (Agr|esti and Coull 1998)',
  ' * (Lo|mb 1976, with floating mean)',
  ' * as Lo|mb (1976) does',
  ' * (Partial colouring: Blöch|liger and Zuff|erey, Computers & Operations\n * Research 35, 2008.)',
  '/** The normal distribution (Abra|mowitz and Ste|gun 7.1.26). */',
])('a reference that leads nowhere is found: %s', (text) => {
  expect(closedReferences(plant(text))).not.toEqual([]);
});

test.each([
  ' * the variance λ₁ λ₂ / n (https://doi.org/10.1214/aoms/1177704248)',
  '/** A minute of 2 January 2026 in Tokyo. */',
  '/** It stops at noon (May 2026). */',
  'Milliseconds since 1970.',
  'the design of the topology, part of it',
  'the chip has a hand in 2 issues',
  'GET /issues 200',
  'spec: { calendars: [{ year: 2099 }] }',
])('what a reader can follow is left alone: %s', (text) => {
  expect(closedReferences(text)).toEqual([]);
});

test('a planted reference is told with file and line, whatever kind of file holds it', () => {
  const root = mkdtempSync(join(tmpdir(), 'references-'));
  try {
    execFileSync('git', ['init', '--quiet'], { cwd: root });
    for (const file of ['rule.ts', 'guide.md', 'engine.yaml', 'store.java', 'worker.py']) {
      writeFileSync(join(root, file), plant('one\ntwo (de|sign 3)\n'));
    }
    const found = breaches(root);
    expect(found).toHaveLength(5);
    expect(found).toContainEqual(expect.stringMatching(/^guide\.md:2: /));
  } finally {
    rmSync(root, { recursive: true });
  }
});

test.each([
  ["const folder = 'activities/';", 'folder'],
  ['export const largest: number = 10 * 1024 * 1024;', 'largest'],
  ['const share = 0.5;', 'share'],
  ['const size = 2 * 1024 ** 3;', 'size'],
])('a fixed number or text in small letters is found: %s', (text, name) => {
  expect(smallConstants(`import a from 'a';\n${text}\n`)).toEqual([{ line: 2, name }]);
});

test.each([
  'const LIMIT = 10;',
  '  const local = 10;',
  "const names = ['a'];",
  'const twice = double(2);',
  ['const id = `$', '{process.pid}`;'].join(''),
])('what is not a fixed number or text of a module, or is in capitals, is left alone: %s', (text) => {
  expect(smallConstants(text)).toEqual([]);
});
