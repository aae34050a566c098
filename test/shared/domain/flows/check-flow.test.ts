import { expect, test } from 'vitest';
import { checkFlow, type FlowCheck } from '../../../../shared/domain/flows/check-flow.ts';
import { sessionCalls } from '../../../../shared/domain/flows/session-rules.ts';

const tasks = ['CheckRabi', 'CheckT1', 'CheckT2Echo'];

function problems(check: FlowCheck): string[] {
  return check.ok ? [] : check.problems.map(({ line, message }) => `${line}: ${message}`);
}

function check(...lines: string[]): string[] {
  return problems(checkFlow(lines.join('\n'), 'nightly', tasks));
}

/** Problems of a flow whose function has these lines; the first of them is line 2. */
function checkBody(...lines: string[]): string[] {
  return check('export async function nightly(session) {', ...lines, '}');
}

test('types are blanked in place, so every line and column stays', () => {
  const source = [
    "import type { Session } from 'calibron';",
    'interface Wanted {',
    '  tasks: string[];',
    '}',
    'export async function nightly(session: Session<Wanted>): Promise<void> {',
    '  const tasks = session.parameters.tasks as string[];',
    "  await session.run({ name: 'All', tasks, targets: session.targets.all() });",
    '}',
  ].join('\n');
  const result = checkFlow(source, 'nightly', tasks);
  if (!result.ok) throw new Error(problems(result).join());
  const before = source.split('\n');
  const after = result.javascript.split('\n');
  expect(after).toHaveLength(before.length);
  expect(after[0]?.trim()).toBe('');
  expect(after[6]).toBe(before[6]);
  expect(after[5]?.indexOf('session.parameters')).toBe(before[5]?.indexOf('session.parameters'));
});

test('the hash names the source', () => {
  const source = 'export async function nightly() {}';
  const [one, again, other] = [source, source, `${source}\n`].map((text) =>
    checkFlow(text, 'nightly', tasks),
  );
  expect(one).toEqual(again);
  expect(one?.ok && one.hash).toMatch(/^[0-9a-f]{64}$/);
  expect(one?.ok && one.hash).not.toBe(other?.ok && other.hash);
});

test('a syntax error names its line', () => {
  expect(checkBody('  const a = 1;', '  const b = = 2;')).toEqual(['3: Expression expected']);
  expect(check('export async function nightly() {')).toEqual(["1: Expected '}', got '<eof>'"]);
  expect(checkBody('  const a = 1;', '  const a = 2;')).toEqual([
    expect.stringMatching(/^3: .*'?a'? has already been declared$/),
  ]);
});

test('TypeScript that is more than types is refused with its line', () => {
  expect(check('export async function nightly() {}', 'enum Mode { Fast }')).toEqual([
    '2: TypeScript enum is not supported in strip-only mode',
  ]);
});

test('an async function, an async arrow function and an export list are all an exported function', () => {
  expect(check('export async function nightly() {}')).toEqual([]);
  expect(check('export const nightly = async () => {};')).toEqual([]);
  expect(check('async function nightly() {}', 'export { nightly };')).toEqual([]);
});

test('the named exported async function must be there', () => {
  const write = 'write export async function nightly(session)';
  expect(check('const a = 1;')).toEqual([`1: the exported async function "nightly" is missing; ${write}`]);
  expect(check('', 'async function nightly() {}')).toEqual([`2: "nightly" is not exported; ${write}`]);
  expect(check('', 'export function nightly() {}')).toEqual([`2: "nightly" must be async; ${write}`]);
  expect(check('export const nightly = 3;')).toEqual(['1: "nightly" is exported but is not a function']);
  expect(check('export async function* nightly() {}')).toEqual([
    '1: "nightly" must not be a generator (remove the *)',
  ]);
});

test('nothing else is exported', () => {
  expect(check('export async function nightly() {}', 'export const a = 1;')).toEqual([
    '2: a flow exports only its own function "nightly"; remove export from "a"',
  ]);
  expect(check('export async function nightly() {}', 'export default nightly;')).toEqual([
    '2: a flow exports its function by name: export async function nightly(session)',
  ]);
  expect(check('export async function nightly() {}', 'export type A = string;')).toEqual([]);
});

test('only types are imported', () => {
  const entry = 'export async function nightly() {}';
  expect(check("import type { Session } from 'calibron';", entry)).toEqual([]);
  expect(check("import { Session } from 'calibron';", entry)).toEqual([
    "1: calibron has types only; write import type { … } from 'calibron'",
  ]);
  expect(check(entry, "import fs from 'node:fs';")).toEqual([
    '2: a flow cannot import "node:fs"; only import type is possible, all else comes with the session',
  ]);
  expect(check(entry, "export * from 'node:fs';")).toEqual(['2: a flow cannot export from another module']);
  expect(checkBody("  await import('node:fs');")).toEqual(['2: a flow cannot import at run time']);
});

test('an unknown task name is reported with its line and the nearest known name', () => {
  expect(
    checkBody(
      '  await session.run({',
      "    name: 'Rabi',",
      "    tasks: ['CheckRabi',",
      "      'CheckRaby'],",
      '    targets: [],',
      '  });',
    ),
  ).toEqual(['5: unknown task "CheckRaby"; did you mean "CheckRabi"?']);
  expect(checkBody("  await session.run({ name: 'x', tasks: ['Dance'], targets: [] });")).toEqual([
    '2: unknown task "Dance"',
  ]);
});

test('task names are found as objects, behind defaults, in choices and in constants of the file', () => {
  expect(checkBody("  await session.run({ tasks: [{ name: 'CheckT3' }] });")).toHaveLength(1);
  expect(checkBody("  await session.run({ tasks: session.parameters.tasks ?? ['CheckT3'] });")).toHaveLength(
    1,
  );
  expect(checkBody("  await session.run({ tasks: session.chip ? ['CheckT3'] : ['CheckT1'] });")).toHaveLength(
    1,
  );
  expect(
    check(
      "const fast = ['CheckT3'];",
      "const tasks = [...fast, 'CheckT1'];",
      'export async function nightly(session) {',
      '  await session.run({ tasks });',
      '  await session.run({ tasks });',
      '}',
    ),
  ).toEqual(['1: unknown task "CheckT3"; did you mean "CheckT1"?']);
});

test('names that the flow computes are left to the run', () => {
  expect(checkBody("  await session.run({ tasks: ['Check' + session.chip] });")).toEqual([]);
  expect(checkBody("  const tasks = ['Dance'];", '  session.log(tasks);')).toEqual([]);
});

test('a missing await is refused with its line and what to do', () => {
  expect(checkBody('  session.sleep(3);')).toEqual(['2: await is missing; write await session.sleep(…)']);
  expect(
    check(
      'async function check(s) {}',
      'export async function nightly(s) {',
      '  check(s);',
      '  s.run({});',
      '}',
    ),
  ).toEqual(['3: await is missing; write await check(…)', '4: await is missing; write await s.run(…)']);
  expect(
    checkBody('  session.targets.all().forEach(async (id) => {', '    await session.sleep(1);', '  });'),
  ).toEqual(['2: forEach does not wait for an async function; write for (const … of …) with await']);
  expect(checkBody('  const waiting = session.sleep(3);', '  await waiting;')).toEqual([]);
});

test('a missing await is reported for every call of the session that takes time', () => {
  const calls = Object.entries(sessionCalls).filter(([, { waits }]) => waits);
  expect(calls).not.toEqual([]);
  for (const [call] of calls) {
    expect(checkBody(`  session.${call}();`)).toEqual([
      `2: await is missing; write await session.${call}(…)`,
    ]);
  }
});

test('unknown task names are reported wherever a list of tasks is given', () => {
  const calls = Object.entries(sessionCalls).flatMap(([call, { ...given }]) =>
    'tasksIn' in given ? [{ call, before: '[], '.repeat(given.tasksIn) }] : [],
  );
  expect(calls).not.toEqual([]);
  for (const { call, before } of calls) {
    expect(checkBody(`  await session.${call}(${before}{ tasks: ['CheckT3'] });`)).toHaveLength(1);
  }
});

test('waiting outside of the function is refused', () => {
  expect(check('await 3;', 'export async function nightly() {}')).toEqual([
    '1: await belongs inside the flow function',
  ]);
});

test('code of more than 256 KB is refused', () => {
  const long = `// ${'x'.repeat(256 * 1024)}\nexport async function nightly() {}`;
  expect(check(long)).toEqual(['1: the flow has 257 KB of code; 256 KB are allowed']);
});

test('all problems come at once, in the order of the lines', () => {
  expect(
    checkBody(
      "  await session.run({ tasks: ['Dance'] });",
      '  session.sleep(3);',
      "  await import('a');",
    ).map((one) => one.slice(0, 1)),
  ).toEqual(['2', '3', '4']);
});

test('nothing of the flow runs', () => {
  const source = 'globalThis.touched = true;\nexport async function nightly() {}';
  expect(checkFlow(source, 'nightly', tasks).ok).toBe(true);
  expect(globalThis).not.toHaveProperty('touched');
});

test('code that is nested thousands deep is refused, and the next flow is read as ever', () => {
  const good = 'export async function flow(session) {\n  session.log("x");\n}\n';
  for (const depth of [4000, 20_000]) {
    const deep = `${good}const x = ${'['.repeat(depth)}${']'.repeat(depth)};\n`;
    expect(checkFlow(deep, 'flow', [])).toMatchObject({ ok: false });
    expect(checkFlow(good, 'flow', [])).toMatchObject({ ok: true });
  }
});
