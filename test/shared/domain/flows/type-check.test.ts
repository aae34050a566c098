import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { createFlowChecking } from '../../../../shared/domain/flows/checking.ts';
import { unknownNameProblems } from '../../../../shared/domain/flows/type-check.ts';
import { createTypeChecking } from '../../../../shared/domain/flows/type-checking.ts';
import { taskNames } from '../../../../shared/tasks/catalog.ts';

const folder = fileURLToPath(new URL('../../../../config/flows/', import.meta.url));

const flow = (body: string, session = 'session: Session') => `import type { Session } from 'calibron';

export async function rabi(${session}) {
  ${body}
}
`;

const checking = createFlowChecking(taskNames);
const impatient = createTypeChecking({ processorMs: 1 });
afterAll(() => Promise.all([checking.close(), impatient.close()]));

test('a saved flow that writes no types is checked as well', async () => {
  const untyped = 'export async function rabi(session) {\n  await session.aprove({});\n}';
  expect(await checking.flow({ user: 'p' }, untyped, 'rabi')).toMatchObject({
    ok: false,
    problems: [{ line: 2, message: expect.stringContaining('Session has no "aprove"') }],
  });
});

test('a flow is checked in a thread as it is saved, and one whose types take too long passes', async () => {
  const misspelt = flow('await session.oneQubitChek([]);');
  const problem = { line: 4, message: 'Session has no "oneQubitChek"; did you mean "oneQubitCheck"?' };
  expect(await checking.flow({ user: 'p' }, misspelt, 'rabi')).toEqual({ ok: false, problems: [problem] });
  const correct = flow('await session.oneQubitCheck(session.targets.all());');
  expect(await checking.flow({ user: 'p' }, correct, 'rabi')).toMatchObject({ ok: true });
  expect(await impatient.problemsOf({ user: 'p' }, misspelt)).toEqual([]);
});

test('the shipped flows pass', async () => {
  const names = (await readdir(folder, { recursive: true })).filter(
    (name) => name.endsWith('.ts') && !name.endsWith('.d.ts'),
  );
  expect(names.length).toBeGreaterThan(10);
  for (const name of names) {
    expect([name, unknownNameProblems(await readFile(`${folder}${name}`, 'utf8'))]).toEqual([name, []]);
  }
});

test.each([
  ['await session.oneQubitChek([]);', 'Session has no "oneQubitChek"; did you mean "oneQubitCheck"?'],
  [
    "await session.run({ name: 'a', task: ['CheckT1'], targets: [] });",
    'unknown option "task"; did you mean "tasks"?',
  ],
  ['session.target.all();', 'Session has no "target"; did you mean "targets"?'],
  ['session.targets.alll();', 'Targets has no "alll"; did you mean "all"?'],
  [
    "await session.approval({ question: 'Go on?', deadline_second: 5, default: 'yes' });",
    'unknown option "deadline_second"; did you mean "deadline_seconds"?',
  ],
])('a misspelt name is found with its line and the nearest name: %s', (body, message) => {
  expect(unknownNameProblems(flow(body))).toEqual([{ line: 4, message }]);
});

test('a session without a written type is checked as well, and its lines stay', () => {
  const source = 'export async function rabi(session) {\n\n  await session.runn({});\n}\n';
  const problem = { line: 3, message: 'Session has no "runn"; did you mean "run"?' };
  expect(unknownNameProblems(source)).toEqual([problem]);
});

test.each([
  [
    'of its own functions without types',
    `function own(session) { session.whatever(); }\n${flow('own(session);')}`,
  ],
  [
    'that takes its session apart',
    flow("await run({ name: 'a', tasks: ['CheckT1'], targets: [] });", '{ run }'),
  ],
  ['with any', flow('await session.whatever({ a: 1 });', 'session: any')],
  ['with another type than declared', flow('const text: string = 1; session.log(text);')],
  ['that asks whether a method exists', flow('if ((session as any).new) session.log(1);')],
  ['that calls a method only if it exists', flow('session.laterMethod?.();')],
  ['that reads a parameter it has not declared', flow('session.log(session.parameters.unknown);')],
  ['with a mistake of its own', flow('const own = { a: 1 }; own.b.c;')],
  [
    'with options made elsewhere',
    flow("const stage = { name: 'a', tasks: ['CheckT1'], targets: [], mine: 1 }; await session.run(stage);"),
  ],
])('code %s passes', (_what, source) => {
  expect(unknownNameProblems(source)).toEqual([]);
});
