import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { commonLaboratory } from '../support/common-laboratory.ts';
import type { Laboratory } from '../support/laboratory.ts';

let lab: Laboratory;
beforeAll(async () => {
  lab = await commonLaboratory();
});

test.each([
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
    "  await session.run({ name: 'a', tasks: ['CheckT1'], targets: ['98', '99'] });",
    /flow "nightly" line 2: .*unknown targets "98", "99"/,
  ],
  [
    'gives a coupling to a task of qubits',
    "  await session.run({ name: 'a', tasks: ['CheckT1'], targets: ['0-1'] });",
    /flow "nightly" line 2: stage "a" cannot run: CheckT1 measures qubits, and chip CHIP has none named 0-1/,
  ],
  [
    'misspells a run parameter of a task',
    "  await session.run({ name: 'a', tasks: [{ name: 'CheckT1', run_parameters: { shotz: 1 } }], targets: ['0'] });",
    /flow "nightly" line 2: stage "a" cannot run: CheckT1 has no run parameter shotz; did you mean shots\?/,
  ],
  [
    'misspells a run parameter of a stage',
    "  await session.run({ name: 'a', tasks: ['CheckT1'], targets: ['0'], run_parameters: { shotz: 1 } });",
    /flow "nightly" line 2: stage "a" cannot run: No task of the stage has a run parameter shotz; did you mean shots\?/,
  ],
  [
    'asks for values that no task finds',
    "\n  await session.filter.byMetric(['0'], 't1_avarage', 1);",
    /flow "nightly" line 3: there is no parameter "t1_avarage"; did you mean "t1_average"\?/,
  ],
  [
    'gives a run parameter that cannot be used',
    "  await session.run({ name: 'a', tasks: [{ name: 'CheckT1', run_parameters: { shots: { value: 'many' } } }], targets: ['0'] });",
    /flow "nightly" line 2: stage "a" cannot run: .*shots of CheckT1/,
  ],
  ['waits for nothing', '  await new Promise(() => {});', /flow "nightly"/],
  ['calls what is no function', '  session.chip();', /flow "nightly" line 2: .*not a function/],
  [
    'misspells a call whose types are hidden',
    '  const own: any = session; await own.rn({});',
    /flow "nightly" line 2: .*did you mean session.run\?/,
  ],
])('a flow that %s fails its run with a message naming the line', async (_name, body, message) => {
  const place = await lab.newProject({ blank: true });
  const run = await lab.startFlow(place, `export async function flow(session) {\n${body}\n}\n`);
  const execution = await lab.ended(place.projectId, run.execution_id);
  expect(execution.status).toBe('failed');
  expect(execution.message).toMatch(message);
  await lab.free(place.projectId);
});

test('a flow goes on with what passed, sleeps, logs and records', async () => {
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
  const entries = await lab.areas.executions.commands.newestEntries(place.projectId, run.execution_id, 1000);
  expect(entries.map((entry) => [entry.kind, entry.text, entry.value])).toEqual([
    ['log', 'passed 1', null],
    ['record', 'yield', 1],
    ['log', 'then 1', null],
  ]);
  expect(Object.keys(execution.note.stages ?? {})).toEqual(['1 rabi', '2 t1']);
});

test('a filter that lets nothing through ends the flow, and the execution says so', async () => {
  const place = await lab.newProject();
  const code = `export async function flow(session) {
  const rabi = await session.run({ name: 'rabi', tasks: ['CheckRabi'], targets: ['1', '2'] });
  const good = await session.filter.byMetric(rabi.passed, 'control_amplitude', 1e6);
  await session.run({ name: 'all', tasks: ['CheckT1'], targets: session.targets.all() });
}
`;
  const run = await lab.startFlow(place, code);
  const execution = await lab.ended(place.projectId, run.execution_id);
  expect(execution.status).toBe('completed');
  expect(execution.message).toMatch(
    /^The flow ended because none of \d targets passed the filter "control_amplitude >= 1000000"\./,
  );
  expect(Object.keys(execution.note.stages ?? {})).toEqual(['1 rabi']);
});

test('a metric counts only where this run has found it, unless any run will do', async () => {
  const place = await lab.newProject();
  const found = (options: string) => `export async function flow(session) {
  const rabi = await session.run({ name: 'rabi', tasks: ['CheckRabi'], targets: ['1'] });
  session.record('found', await session.filter.byMetric(['1', '2'], 'control_amplitude', 0${options}));
}
`;
  const recorded = async (code: string) => {
    const run = await lab.startFlow(place, code);
    await lab.ended(place.projectId, run.execution_id);
    await lab.free(place.projectId);
    const entries = await lab.areas.executions.commands.newestEntries(
      place.projectId,
      run.execution_id,
      1000,
    );
    return entries.find((entry) => entry.text === 'found')?.value;
  };
  expect(await recorded(found(''))).toEqual(['1']);
  expect(await recorded(found(", { measured_in: 'any_run' }"))).toEqual(['1', '2']);
});

test('a mode orders the qubits of a stage by the wiring of the chip, and mistakes in the wiring file are reported', async () => {
  const place = await lab.newProject({ chipId: 'WIRED' });
  const folder = join(lab.settings.CONFIG_PATH, place.projectId, 'WIRED', 'config');
  await mkdir(folder, { recursive: true });
  const wire = (mux: number, module: string) =>
    `  - { mux: ${mux}, ctrl: [${module}-1], read_out: ${module}-2, read_in: ${module}-3 }\n`;
  const wiring = join(folder, 'wiring.yaml');
  await writeFile(wiring, `WIRED:\n${wire(0, 'R1A')}${wire(1, 'R2B')}${wire(2, 'R3A')}${wire(3, 'R4B')}`);
  const code = `export async function flow(session) {
  await session.run({ name: 'delay', tasks: ['CheckT1'], targets: session.targets.muxes([0, 1]), mode: 'scheduled' });
}
`;
  const run = await lab.startFlow(place, code);
  await lab.ended(place.projectId, run.execution_id);
  await lab.free(place.projectId);
  const [asked, stage] = await lab.areas.executions.commands.ofExecution(place.projectId, run.execution_id);
  // Box A first, then box B; the qubits of a multiplexer one after another.
  const schedule = [[['0', '1', '2', '3']], [['4', '5', '6', '7']]];
  expect(asked).toMatchObject({ kind: 'qubit_schedule', status: 'done', answer: { schedule } });
  expect(stage).toMatchObject({ kind: 'stage', schedule });

  await writeFile(wiring, `WIRED:\n${wire(0, 'R1A')}${wire(0, 'R2A')}`);
  const again = await lab.startFlow(place, code);
  const execution = await lab.ended(place.projectId, again.execution_id);
  expect(execution.message).toMatch(/flow "nightly" line 2: .*MUX 0 has an entry already/);
});
