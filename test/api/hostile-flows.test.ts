import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FlowDocument } from '../../shared/domain/flows/saved-flow-model.ts';
import { keyOf } from '../../shared/kernel/ids.ts';
import { type Answer, type Api, expectError, type Person, startApi } from './harness.ts';
import { type Laboratory, makeLaboratory } from './laboratory.ts';

let api: Api;
let owner: Person;
let lab: Laboratory;

beforeAll(async () => {
  api = await startApi({ engine: 'prepared' });
  owner = await api.makePerson();
  lab = await makeLaboratory(api, owner, await api.makePerson());
});
afterAll(() => api.close());

const save = (code: string, more: object = {}) =>
  lab.as('/flows', { method: 'POST', body: { name: 'flow', code, chip_id: 'CHIP', ...more } });

/** A request's answer, and how often the probe of health was answered meanwhile. */
async function besideHealth(asked: Promise<Answer>): Promise<{ answer: Answer; probes: number }> {
  let pending = true;
  let probes = 0;
  void asked.finally(() => {
    pending = false;
  });
  while (pending) {
    expect((await api.call('/healthz')).status).toBe(200);
    probes += 1;
    // An injected request may never leave the microtasks.
    await nextTurn();
  }
  return { answer: await asked, probes };
}

const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, i) => make(i));
const entry = (body: string) => `export async function flow(session) {\n${body}\n}\n`;

const spreads = [
  `const a0 = [${times(60, () => "'Nothing'").join()}];`,
  ...times(4, (i) => `const a${i + 1} = [${times(60, () => `...a${i}`).join()}];`),
  entry("await session.run({ name: 's', tasks: a4, targets: ['0'] });"),
].join('\n');

test.each([
  ['nested spreads of task names', spreads, /^Line 1: unknown task "Nothing"/],
  [
    'a task name of 250 KB',
    entry(`await session.run({ name: 's', tasks: ['${'x'.repeat(250_000)}'], targets: ['0'] });`),
    /^Line 2: unknown task "x{100}…"\.$/,
  ],
  [
    'thousands of unknown tasks',
    entry(
      `await session.run({ name: 's', tasks: [${times(9000, (i) => `'CheckRabbi${i}'`)}], targets: ['0'] });`,
    ),
    /^Line 2: unknown task "CheckRabbi0"/,
  ],
  [
    '2,200 parameters',
    `export const parameters = {\n${times(2200, (i) => `${'p'.repeat(90)}${i}: { type: 'any' }`)}\n};\n${entry('')}`,
    /^Line 1: a flow declares at most 200 parameters, this one 2200\.$/,
  ],
  [
    'thousands of mistakes in its parameters',
    `export const parameters = { p: { ${times(9000, (i) => `typo${i}: 1`)} } };\n${entry('')}`,
    /^Line 1: parameter "p"/,
  ],
  [
    'functions within functions',
    `${entry('')}const f = ${'() => '.repeat(20_000)}1;\n`,
    /^Line 1: the code is nested too deeply/,
  ],
])(
  'a flow with %s is refused with a short message, and everybody else is answered meanwhile',
  async (_, code, message) => {
    const { answer, probes } = await besideHealth(save(code));
    const detail = expectError(answer, 400, 'invalid_flow');
    expect(detail).toMatch(message);
    expect(detail.length).toBeLessThan(3000);
    expect(probes).toBeGreaterThan(2);
  },
);

test('the largest flow is checked beside all else', async () => {
  const lines = times(6000, (i) => `  const c${i} = [{ a: ${i} }, [${i}]];\n`).join('');
  const { answer, probes } = await besideHealth(save(entry(lines)));
  expect(answer.status).toBe(200);
  expect(probes).toBeGreaterThan(2);
});

test('sixty unknown parameters against 2,200 that a flow of old declares are refused beside all else', async () => {
  expect((await save(entry(''))).status).toBe(200);
  const name = (i: number) => `${'p'.repeat(90)}${i}`;
  const declared = Object.fromEntries(
    times(2200, (i) => [name(i), { type: 'any' as const, description: '' }] as const),
  );
  await api.database.db
    .collection<FlowDocument>('flows')
    .updateOne({ _id: keyOf(lab.project, 'flow') }, { $set: { parameters: declared } });
  const parameters = Object.fromEntries(times(60, (i) => [`q${'p'.repeat(80)}x${i}`, 1]));
  const execute = lab.as('/flows/flow/execute', { method: 'POST', body: { parameters } });
  const { answer, probes } = await besideHealth(execute);
  const detail = expectError(answer, 400, 'invalid_parameters');
  expect(detail).toMatch(/^The parameter qp+x0 is no parameter of this flow; did you mean p+\d+\?/);
  expect(detail.length).toBeLessThan(5000);
  expect(probes).toBeGreaterThan(2);
});
