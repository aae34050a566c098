import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { flowchart, importsBetween, mistakes, picture } from './pictures.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const page = read('docs/architecture.md');
const programs = ['api', 'workflows', 'activities', 'workers'];

test('the storeys are drawn as they import each other', () => {
  const imports = importsBetween(root, [...programs, 'shared'], (file) => {
    const [first = '', second = ''] = file.split('/');
    if (first === 'shared') return second;
    return programs.includes(first) ? first : null;
  });
  expect([...imports.keys()].sort()).toEqual([...readdirSync(join(root, 'shared')), ...programs].sort());
  expect(mistakes(flowchart(picture(page, 'storeys')), imports)).toEqual([]);
});

test('the areas are drawn as they import each other', () => {
  const imports = importsBetween(root, ['shared/domain'], (file) => {
    const [, domain, area, name] = file.split('/');
    return domain === 'domain' && area && name ? area : null;
  });
  expect(imports.size).toBeGreaterThan(10);
  expect(mistakes(flowchart(picture(page, 'areas')), imports)).toEqual([]);
});

test('a picture that is not the code is told', () => {
  const imports = new Map([
    ['a', new Set(['b', 'c'])],
    ['b', new Set(['c'])],
    ['c', new Set<string>()],
  ]);
  const drawn = (...lines: string[]) => flowchart(['%% x', 'flowchart TB', ...lines].join('\n'));
  expect(mistakes(drawn('  a["the first"] --> b', '  b --> c'), imports)).toEqual([]);
  expect(mistakes(drawn('  a --> b', '  c'), imports)).toEqual([
    'a imports c, which is not drawn',
    'b imports c, which is not drawn',
  ]);
  expect(mistakes(drawn('  a --> b --> c --> a'), imports)).toEqual(['c does not import a']);
  expect(mistakes(drawn('  a --> b --> c', '  d'), imports)).toEqual(['d does not exist']);
});

test('the life of a run shows activities that exist and that workflows call, and every local activity', () => {
  const drawn = [...picture(page, 'run').matchAll(/->>[KB]: (\w+)\(\)/g)].map(([, name]) => name);
  expect(drawn).toContain('measure');
  expect(drawn).toContain('record');
  const workflows = readdirSync(join(root, 'workflows')).map((name) => read(`workflows/${name}`));
  const declared = read('activities/contracts/runs.ts');
  for (const name of drawn) {
    expect(
      workflows.some((text) => text.includes(`.${name}(`)),
      name,
    ).toBe(true);
    if (name !== 'measure') expect(declared, name).toContain(`  ${name}(input`);
  }
  const [, members = ''] = /interface LocalActivities \{([\s\S]*?)\n\}/.exec(declared) ?? [];
  const local = [...members.matchAll(/^ {2}(\w+)\(input/gm)].map(([, name]) => name);
  expect(local.length).toBeGreaterThan(0);
  expect(drawn).toEqual(expect.arrayContaining(local));
});

test('the life of a request goes through plugins in the order in which the server has them', () => {
  const names = ['request-id', 'authentication', 'limits', 'project-scope'];
  const drawn = picture(page, 'request');
  const server = read('api/server.ts');
  const camel = (name: string) => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  const registered = names.map((name) => server.search(new RegExp(`register\\(${camel(name)}\\b`)));
  expect(registered).not.toContain(-1);
  expect(registered).toEqual([...registered].sort((a, b) => a - b));
  const shown = names.map((name) => drawn.search(new RegExp(`\\b${name}\\b`)));
  expect(shown).not.toContain(-1);
  expect(shown).toEqual([...shown].sort((a, b) => a - b));
  for (const name of [...names, 'validation', 'errors']) {
    expect(existsSync(join(root, `api/plugins/${name}.ts`)), name).toBe(true);
  }
});

const pages = ['README.md', ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)].filter((name) =>
  name.endsWith('.md'),
);

/** Files that the guides in docs/ add to a copy. */
const ADDED_BY_GUIDES =
  /^(?:test\/)?(?:shared\/tasks\/relaxation\/|shared\/domain\/bookmarks\/|(?:api|api\/routes\/results|activities\/contracts)\/bookmarks\.|workflows\/bookmark-removal\.)/;

test.each(pages)('every file that %s names is there', (name) => {
  const text = read(name);
  const links = [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, to = '']) =>
    join(dirname(name), to),
  );
  const paths = [
    ...text.matchAll(
      /`((?:\.ci|api|activities|workflows|workers|shared|scripts|config|test|docs)\/[\w./-]*)`/g,
    ),
  ].map(([, path = '']) => path);
  const missing = [...links, ...paths].filter(
    (path) => !existsSync(join(root, path)) && !ADDED_BY_GUIDES.test(path),
  );
  expect(missing).toEqual([]);
});

test('the README leads to the architecture and to the words', () => {
  expect(read('README.md')).toMatch(/\(docs\/architecture\.md\)[\s\S]*\(docs\/words\.md\)/);
});
