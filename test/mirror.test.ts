import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { LONGEST } from './support/longest-files.ts';
import { repeatingFiles } from './support/repetitions.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .map((path) => join('test', path))
  .filter((path) => path.endsWith('.ts'));
const isTest = (file: string) => file.endsWith('.test.ts');
/** What tests of several folders use. */
const isShared = (file: string) => file.startsWith('test/support/');
/** Started by a program, not imported. */
const isProgram = (file: string) => file.includes('/fixtures/');

/** Files of the repository that a file imports. */
function importsOf(file: string): string[] {
  const source = readFileSync(join(root, file), 'utf8');
  return [...source.matchAll(/^(?:import|export|} from)\b.*'(\.[^']+\.ts)';$/gm)].map(([, path = '']) =>
    relative(root, resolve(root, dirname(file), path)),
  );
}

/** Files of the product that a test imports, itself or through what stands beside it or is shared. */
function tested(file: string, seen = new Set<string>()): Set<string> {
  for (const imported of importsOf(file)) {
    if (seen.has(imported)) continue;
    seen.add(imported);
    if (imported.startsWith('test/')) tested(imported, seen);
  }
  return seen;
}

const folderOf = (file: string) => relative('test', dirname(file));
const folders = [...new Set(files.filter(isTest).map(folderOf))].filter((folder) => folder !== '');

test.each(folders)('the tests in test/%s are about a folder of that name', (folder) => {
  expect(existsSync(join(root, folder))).toBe(true);
});

describe('a test of what knows nothing of projects imports what it is about', () => {
  // Tests of the other folders may do so too, or start programs and ask the engines.
  const checked = files.filter(
    (file) => isTest(file) && /^test\/shared\/(?:kernel|science|tasks)\//.test(file),
  );
  test.each(checked)('%s', (file) => {
    const about = folderOf(file).startsWith('shared/tasks/') ? 'shared/tasks' : folderOf(file);
    expect([...tested(file)].filter((imported) => imported.startsWith(`${about}/`))).not.toEqual([]);
  });
});

test('the files that are begun first are there', () => {
  expect(LONGEST.filter((file) => !files.includes(file))).toEqual([]);
});

test('a soak takes the files that repeat, by themselves or through what they import, and no others', () => {
  const repeating = repeatingFiles();
  const [itself, throughOne, throughTwo] = [
    'test/workers/worker-death.test.ts',
    'test/shared/tasks/readout-classification/readout-classification.test.ts',
    'test/shared/tasks/rabi/rabi.test.ts',
  ];
  expect(repeating).toEqual(expect.arrayContaining([itself, throughOne, throughTwo]));
  expect(repeating).not.toContain('test/mirror.test.ts');
  expect(repeating.length).toBeLessThan(files.filter(isTest).length / 2);
});

test('what tests of several folders use stands in test/support, what those of one use beside them', () => {
  const users = new Map<string, Set<string>>();
  for (const file of files) {
    for (const imported of importsOf(file)) {
      users.set(imported, (users.get(imported) ?? new Set()).add(dirname(file)));
    }
  }
  const helping = files.filter((file) => !isTest(file) && !isProgram(file));
  const misplaced = helping.filter((file) => {
    const folder = dirname(file);
    const outside = [...(users.get(file) ?? [])].filter(
      (user) => user !== folder && !user.startsWith(`${folder}/`),
    );
    return isShared(file) ? new Set(users.get(file)).size === 1 : outside.length > 0;
  });
  expect(misplaced).toEqual([]);
});
