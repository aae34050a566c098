import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { createFlowIsolates } from '../../../../activities/flow-isolate/isolate.ts';
import { checkFlow } from '../../../../shared/domain/flows/check-flow.ts';
import { sessionCalls } from '../../../../shared/domain/flows/session-rules.ts';
import { taskNames } from '../../../../shared/tasks/catalog.ts';
import { context, seed } from '../../../support/flow-run.ts';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const shipped = join(root, 'config/flows');
const tsc = join(root, 'node_modules/@typescript/native/bin/tsc');
const isolates = createFlowIsolates();
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'calibron-flows-'));
});
afterAll(async () => {
  await isolates.close();
  await rm(folder, { recursive: true });
});

/** The compiler's complaints about flows, by file name, as an author's editor would show them. */
async function complaints(flows: Record<string, string>): Promise<string> {
  const declarations = (await readdir(shipped)).filter((name) => name.endsWith('.d.ts'));
  await Promise.all([
    ...declarations.map((name) => copyFile(join(shipped, name), join(folder, name))),
    ...Object.entries(flows).map(([name, source]) => writeFile(join(folder, name), source)),
  ]);
  const options = [
    '--noEmit',
    '--strict',
    '--noUncheckedIndexedAccess',
    '--target',
    'es2023',
    '--module',
    'esnext',
  ];
  const files = [...declarations, ...Object.keys(flows)];
  // tsc ends with a code of its own when it complains; what it writes tells why.
  const done = await promisify(execFile)(tsc, [...options, '--types', '', '--ignoreConfig', ...files], {
    cwd: folder,
  }).catch((failure: unknown) => z.object({ stdout: z.string(), stderr: z.string() }).parse(failure));
  return done.stdout + done.stderr;
}

test('an editor has nothing to say against the shipped flows', async () => {
  const names = (await readdir(shipped, { recursive: true })).filter(
    (name) => name.endsWith('.ts') && !name.endsWith('.d.ts'),
  );
  expect(names).toContain(join('built-in', 'menu.ts'));
  const sources = await Promise.all(
    names.map(async (name) => [basename(name), await readFile(join(shipped, name), 'utf8')] as const),
  );
  expect(await complaints(Object.fromEntries(sources))).toBe('');
});

test('the flow of the page about flows is one that can be saved, and an editor has nothing to say against it', async () => {
  const page = await readFile(join(root, 'docs/flows.md'), 'utf8');
  const source = page.split('```ts\n')[1]?.split('```')[0] ?? '';
  expect(checkFlow(source, 'nightly', taskNames())).toMatchObject({ ok: true });
  expect(await complaints({ 'nightly.ts': source })).toBe('');
});

test('the other flows of the page are ones that can be saved', async () => {
  const page = await readFile(join(root, 'docs/flows.md'), 'utf8');
  const sources = page
    .split('```ts\n')
    .slice(2)
    .map((rest) => rest.split('```')[0] ?? '');
  const named = sources.map((source) => /export async function (\w+)/.exec(source)?.[1] ?? '');
  expect(named).toEqual(['first', 'asks']);
  for (const [index, source] of sources.entries()) {
    expect(checkFlow(source, named[index] ?? '', taskNames())).toMatchObject({ ok: true });
  }
});

test('the page about flows names all that a session offers', async () => {
  const page = await readFile(join(root, 'docs/flows.md'), 'utf8');
  const declared = await readFile(join(shipped, 'calibron.d.ts'), 'utf8');
  const [, session = ''] = declared.split('export interface Session');
  const names = [...session.matchAll(/^ {4}(?:readonly )?(\w+)[(:]/gm)].map(([, name = '']) => name);
  expect(names).toContain('approval');
  expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(page))).toEqual([]);
});

test('so is the flow that the declarations begin with', async () => {
  const declared = await readFile(join(shipped, 'calibron.d.ts'), 'utf8');
  const [comment = ''] = declared.split('*/');
  const lines = comment.split('\n').flatMap((line) => line.match(/^ \* {5}(.*)$/)?.[1] ?? []);
  const source = lines.join('\n');
  expect(checkFlow(source, 'nightly', taskNames())).toMatchObject({ ok: true });
  expect(await complaints({ 'example.ts': source })).toBe('');
});

test('an editor shows wrong uses of the session', async () => {
  const wrong = [
    "import type { ParameterDeclarations, Session } from 'calibron';",
    "export const parameters = { threshold: { type: 'number', default: 1 } } as const satisfies ParameterDeclarations;",
    'export async function nightly(session: Session<typeof parameters>) {',
    "  const a = session.run({ name: 'x', tasks: ['CheckRabi'], targets: [] });",
    '  a.passed;',
    "  await session.run({ name: 'x', targets: [] });",
    '  session.parameters.threshold = 2;',
    '  session.parameters.treshold;',
    "  await session.oneQubitCheck([0], { mode: 'sideways' });",
    '  session.filter.byMetric([0], 3, 0.9);',
    '  const sum: number = session.parameters.threshold;',
    '}',
  ].join('\n');
  const found = (await complaints({ 'wrong.ts': wrong })).match(/wrong\.ts[(:](\d+)/g);
  expect(found).toEqual([5, 6, 7, 8, 9, 10].map((line) => expect.stringMatching(new RegExp(`[(:]${line}$`))));
});

test('declared parameters are typed: required and with a default are there, others may be undefined', async () => {
  const typed = [
    "import type { ParameterDeclarations, Session } from 'calibron';",
    'export const parameters = {',
    "  qids: { type: 'qubits', required: true },",
    "  mode: { type: 'text', one_of: ['serial', 'synchronized'], default: 'serial' },",
    "  note: { type: 'text' },",
    '} as const satisfies ParameterDeclarations;',
    'export async function nightly({ parameters: given }: Session<typeof parameters>) {',
    '  const qids: readonly (string | number)[] = given.qids;',
    "  const mode: 'serial' | 'synchronized' = given.mode;",
    '  const note: string = given.note;',
    "  if (given.mode === 'scheduled') return;",
    '}',
  ].join('\n');
  const found = (await complaints({ 'typed.ts': typed })).match(/typed\.ts[(:](\d+)/g);
  expect(found).toEqual([10, 11].map((line) => expect.stringMatching(new RegExp(`[(:]${line}$`))));
});

test('the session in the declarations is the session in the isolate', async () => {
  const declared = await readFile(join(shipped, 'calibron.d.ts'), 'utf8');
  const members = (name: string) =>
    [
      ...(declared.split(new RegExp(`interface ${name}\\b.*{`))[1]?.split('\n  }')[0] ?? '').matchAll(
        /^ {4}(?:readonly )?(\w+)[(:]/gm,
      ),
    ]
      .map((match) => match[1])
      .sort();
  const of = {
    javascript:
      'export async function nightly(session) {\n  return [session, session.targets, session.filter].map((one) => Object.keys(one).sort());\n}',
    functionName: 'nightly',
    flowName: 'nightly',
  };
  const step = await isolates.advance('members', of, { seed, context, issued: [], answers: [] });
  expect(step).toMatchObject({ value: [members('Session'), members('Targets'), members('Filter')] });
});

test('the calls that have to be awaited are those that the declarations say return a promise', async () => {
  const declared = await readFile(join(shipped, 'calibron.d.ts'), 'utf8');
  const session = declared.split(/interface Session\b.*{/)[1]?.split('\n  }')[0] ?? '';
  const promised = [...session.matchAll(/^ {4}(\w+)\((?:.|\n {5,})*?(?:\n {4})?\): Promise</gm)].map(
    (match) => match[1],
  );
  const waiting = Object.entries(sessionCalls).flatMap(([call, { waits }]) => (waits ? [call] : []));
  expect(promised.sort()).toEqual(waiting.sort());
});
