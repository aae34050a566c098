import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { createFlowIsolates } from '../../activities/flow-isolate/isolate.ts';
import { flowTemplate } from '../../shared/flows/model.ts';
import { checkFlow } from '../../shared/flows/rules.ts';
import { carryOut, context, seed } from './flow-run.ts';

const shipped = fileURLToPath(new URL('../../config/flows/', import.meta.url));
const tsc = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));
const knownTasks = ['CheckRabi', 'CheckT1'];
const templates = z
  .array(flowTemplate)
  .parse(JSON.parse(await readFile(join(shipped, 'templates.json'), 'utf8')));
const isolates = createFlowIsolates();
let desk = '';

beforeAll(async () => {
  desk = await mkdtemp(join(tmpdir(), 'calibron-flows-'));
});
afterAll(async () => {
  await isolates.close();
  await rm(desk, { recursive: true });
});

/** The compiler's complaints about a flow, as an author's editor would show them. */
async function complaints(filename: string, source: string): Promise<string> {
  await copyFile(join(shipped, 'calibron.d.ts'), join(desk, 'calibron.d.ts'));
  await writeFile(join(desk, filename), source);
  const options = [
    '--noEmit',
    '--strict',
    '--noUncheckedIndexedAccess',
    '--target',
    'es2023',
    '--module',
    'esnext',
  ];
  const files = ['calibron.d.ts', filename];
  // tsc ends with a code of its own when it complains; what it writes tells why.
  const done = await promisify(execFile)(tsc, [...options, '--types', '', '--ignoreConfig', ...files], {
    cwd: desk,
  }).catch((failure: unknown) => z.object({ stdout: z.string(), stderr: z.string() }).parse(failure));
  return done.stdout + done.stderr;
}

async function programOf(id: string) {
  const template = templates.find((one) => one.id === id);
  if (template === undefined) throw new Error(`no template ${id}`);
  const source = await readFile(join(shipped, template.filename), 'utf8');
  const check = checkFlow(source, template.function_name, knownTasks);
  if (!check.ok) throw new Error(JSON.stringify(check.problems));
  return { javascript: check.javascript, functionName: template.function_name, flowName: id };
}

test('every shipped flow is listed, and every listed flow is shipped', async () => {
  const files = (await readdir(shipped)).filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'));
  expect(templates.map((one) => one.filename).sort()).toEqual(files.sort());
});

test.each(templates)(
  'template $id passes the check of a saved flow and the type check of an editor',
  async (template) => {
    const source = await readFile(join(shipped, template.filename), 'utf8');
    expect(checkFlow(source, template.function_name, knownTasks)).toMatchObject({ ok: true });
    expect(await complaints(template.filename, source)).toBe('');
  },
);

test('an editor shows wrong uses of the session', async () => {
  const wrong = [
    "import type { Session } from 'calibron';",
    'export async function nightly(session: Session) {',
    "  const a = session.run({ name: 'x', tasks: ['CheckRabi'], targets: [] });",
    '  a.passed;',
    "  await session.run({ name: 'x', tasks: ['CheckRabi'] });",
    '  session.parameters.qids = [];',
    '}',
  ].join('\n');
  const found = (await complaints('wrong.ts', wrong)).match(/wrong\.ts[(:](\d+)/g);
  expect(found).toEqual([4, 5, 6].map((line) => expect.stringMatching(new RegExp(`[(:]${line}$`))));
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
      'export async function nightly(session) {\n  return [session, session.targets].map((one) => Object.keys(one).sort());\n}',
    functionName: 'nightly',
    flowName: 'nightly',
  };
  const step = await isolates.advance('members', of, seed, context, [], []);
  expect(step).toMatchObject({ value: [members('Session'), members('Targets')] });
});

test('simple runs its tasks on multiplexers or qubits, and says what it lacks', async () => {
  const simple = await programOf('simple');
  const asked = (parameters: Record<string, never> | object) =>
    isolates.advance('simple', simple, seed, { ...context, parameters: { ...parameters } }, [], []);
  expect(await asked({ qids: ['3'] })).toMatchObject({
    command: { name: 'Calibration', tasks: [{ name: 'CheckRabi' }, { name: 'CheckT1' }], targets: ['3'] },
  });
  expect(await asked({ qids: ['3'], mux_ids: [1], tasks: ['CheckT1'] })).toMatchObject({
    command: { tasks: [{ name: 'CheckT1' }], targets: ['4', '5', '6', '7'] },
  });
  await expect(asked({})).rejects.toThrow('flow "simple" line 14: give mux_ids or qids');
});

test('the demonstration measures T1 where Rabi passed', async () => {
  const run = await carryOut(isolates, 'demo', await programOf('demo'));
  const [rabi, t1] = run.commands;
  expect(rabi).toMatchObject({ name: 'Rabi', tasks: [{ name: 'CheckRabi' }], targets: context.qubits });
  expect(t1).toMatchObject({ name: 'T1', targets: context.qubits.filter((id) => Number(id) % 3 !== 2) });
  expect(run.entries.at(-1)).toMatchObject({ kind: 'log', message: 'Rabi: 11 of 16 qubits; T1: 11' });
});
