import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Laboratory, openLaboratory } from './harness.ts';

let lab: Laboratory;
beforeAll(async () => {
  lab = await openLaboratory();
  await lab.startWorker();
});
afterAll(() => lab.close());

it.each([
  ['throws', "  throw new Error('the moon is full');", /flow "nightly" line 2: .*the moon is full/],
  ['loops for ever', '  for (;;) {}', /flow "nightly" (line 2|computed)/],
  [
    'allocates for ever',
    '  const all = []; for (;;) all.push(new Array(1000).fill(1));',
    /flow "nightly" line 2: .*memory/,
  ],
  [
    'names an unknown task',
    "  const name = ['Check', 'Nothing'].join('');\n  await session.run({ name: 'a', tasks: [name], targets: session.targets.all() });",
    /flow "nightly" line 3: .*CheckNothing/,
  ],
  [
    'names an unknown target',
    "  await session.run({ name: 'a', tasks: ['CheckT1'], targets: ['99'] });",
    /flow "nightly" line 2: .*99/,
  ],
  [
    'gives a run parameter that cannot be used',
    "  await session.run({ name: 'a', tasks: [{ name: 'CheckT1', run_parameters: { shots: { value: 'many' } } }], targets: ['0'] });",
    /flow "nightly" line 2: stage "a" cannot run: .*shots of CheckT1/,
  ],
  ['waits for nothing', '  await new Promise(() => {});', /flow "nightly"/],
  ['calls what is no function', '  session.nothing();', /flow "nightly" line 2: .*not a function/],
])('a flow that %s fails its run with a message naming the line', async (_name, body, message) => {
  const place = await lab.newProject({ blank: true });
  const run = await lab.startFlow(place, `export async function flow(session) {\n${body}\n}\n`);
  const execution = await lab.ended(place.projectId, run.execution_id, 30_000);
  expect(execution.status).toBe('failed');
  expect(execution.message).toMatch(message);
  await lab.free(place.projectId);
});

it('a flow goes on with what passed, sleeps, logs and records', async () => {
  const place = await lab.newProject();
  await lab.setFaults({
    rules: [
      { match: { project_id: place.projectId, task_name: 'CheckRabi', targets: ['2'] }, behaviour: 'error' },
    ],
  });
  const code = `export async function flow(session) {
  const rabi = await session.run({ name: 'rabi', tasks: ['CheckRabi'], targets: session.targets.qubits(['1', '2']) });
  session.log('passed ' + rabi.passed.join(','));
  session.record('yield', rabi.passed.length);
  await session.sleep(0.2);
  const t1 = await session.run({ name: 't1', tasks: ['CheckT1'], targets: rabi.passed });
  session.log('then ' + t1.counts.completed);
}
`;
  const run = await lab.startFlow(place, code);
  const execution = await lab.ended(place.projectId, run.execution_id);
  expect(execution.message).toBe('The flow ended. 2 of 3 tasks completed, 1 failed.');
  const entries = await lab.records.steps.entriesOf(place.projectId, run.execution_id);
  expect(entries.map((entry) => [entry.kind, entry.text, entry.value])).toEqual([
    ['log', 'passed 1', null],
    ['record', 'yield', 1],
    ['log', 'then 1', null],
  ]);
  expect(Object.keys(execution.note.stages ?? {})).toEqual(['0 rabi', '2 t1']);
});
