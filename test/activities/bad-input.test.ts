import { beforeAll, expect, test } from 'vitest';
import type { JsonValue } from '../../shared/domain/flows/model.ts';
import { commonLaboratory } from '../support/common-laboratory.ts';
import type { Laboratory } from '../support/laboratory.ts';

let lab: Laboratory;
beforeAll(async () => {
  lab = await commonLaboratory();
});

/** Runs a flow whose function has these lines; nothing may be measured and no task stored. */
async function refusal(lines: string[], parameters: Record<string, JsonValue> = {}): Promise<string> {
  const place = await lab.newProject();
  const code = ['export async function flow(session) {', ...lines, '}', ''].join('\n');
  const run = await lab.startFlow(place, code, { parameters });
  const execution = await lab.ended(place.projectId, run.execution_id);
  expect(execution.status).toBe('failed');
  expect(await lab.tasksOf(place.projectId, run.execution_id)).toEqual([]);
  expect(await lab.journal(place.projectId, run.execution_id)).toEqual([]);
  return execution.message ?? '';
}

test('unknown tasks are reported first, and only the first few of them', async () => {
  const unknown = ['CheckRaby', 'Nothing', ...Array.from({ length: 10 }, (_, index) => `Unknown${index}`)];
  const message = await refusal(
    [
      '  const { tasks } = session.parameters;',
      "  await session.run({ name: 'mixed', tasks: [...tasks, { name: 'CheckT1', run_parameters: { shots: 1.5 } }], targets: ['0'] });",
    ],
    { tasks: unknown },
  );
  expect(message).toMatch(/^flow "nightly" line 3: stage "mixed" cannot run: /);
  expect(message).toContain('There is no task CheckRaby; did you mean CheckRabi?');
  expect(message).toContain('There is no task Nothing.');
  expect(message.match(/There is no task/g)).toHaveLength(5);
  expect(message).not.toContain('shots');
});

test('a stage is refused with all that is wrong with it in one message', async () => {
  const message = await refusal(
    [
      '  await session.run({',
      "    name: 'mixed',",
      '    tasks: [',
      "      { name: 'CheckRabi', run_parameters: { shots: 'many', time_range: [0, 401] } },",
      "      { name: 'CheckT1', run_parameters: { shots: 1.5 } },",
      '      {',
      "        name: 'CheckResonatorSpectroscopy',",
      '        run_parameters: { num_resonators: 0, high_power_min: 3, high_power_max: -3, resonator_assignment_pattern: "32q" },',
      '      },',
      "      { name: 'CheckRabi', run_parameters: { 'no name': 1 } },",
      '    ],',
      "    targets: ['0', '0-1'],",
      '    input_offsets: { colour: 1 },',
      '  });',
    ],
    {},
  );
  expect(message).toMatch(/^flow "nightly" line 2: stage "mixed" cannot run: /);
  for (const part of [
    'No task of the stage has an input colour.',
    'CheckRabi measures qubits, and chip CHIP has none named 0-1.',
    'The run parameter shots of CheckRabi cannot be used: "many" is not a number.',
    'The run parameter time_range of CheckRabi cannot be used: [0,401] is not a list of three numbers.',
    'CheckT1 measures qubits, and chip CHIP has none named 0-1.',
    'The run parameter shots of CheckT1 cannot be used: 1.5 is not a whole number.',
    'The run parameter num_resonators of CheckResonatorSpectroscopy is 0; it must be at least 1 and at most 16.',
    'The run parameters high_power_min and high_power_max of CheckResonatorSpectroscopy contradict each other: 3 is above -3.',
    'The run parameter resonator_assignment_pattern of CheckResonatorSpectroscopy is "32q"; it must be default or 16q or an order of places such as 3,0,2,1.',
    '"no name" cannot be the name of a run parameter of CheckRabi.',
  ]) {
    expect(message).toContain(part);
  }
});

test.each([
  ['a qubit', "session.targets.qubits(['99'])", 'unknown qubit "99"'],
  ['a multiplexer', 'session.targets.muxes([4])', 'unknown mux "4"'],
  ['a target', "['0', '99']", 'unknown target "99"'],
  ['a coupling', "['0-15']", 'unknown target "0-15"'],
])('%s that is not on the chip is refused, naming it and the line', async (_name, targets, expected) => {
  const message = await refusal([
    '  const none = 0;',
    `  await session.run({ name: 'a', tasks: ['CheckRabi'], targets: ${targets} });`,
  ]);
  expect(message).toMatch(/^flow "nightly" line 3: /);
  expect(message).toContain(expected);
});

test('a single task is refused for a target that it cannot measure', async () => {
  const place = await lab.newProject();
  for (const target of ['99', '0-1', '']) {
    const run = await lab.startTask(place, 'CheckT1', target);
    const execution = await lab.ended(place.projectId, run.execution_id);
    expect(execution).toMatchObject({
      status: 'failed',
      message: expect.stringContaining('CheckT1 measures qubits, and chip CHIP has none named'),
    });
    expect(await lab.tasksOf(place.projectId, run.execution_id)).toEqual([]);
    await lab.free(place.projectId);
  }
});

test('a single task that the catalog does not have is refused', async () => {
  const place = await lab.newProject();
  const run = await lab.startTask(place, 'CheckRaby', '0');
  const execution = await lab.ended(place.projectId, run.execution_id);
  expect(execution).toMatchObject({
    status: 'failed',
    message: expect.stringContaining('There is no task CheckRaby; did you mean CheckRabi?'),
  });
});

test('a qubit whose task lacked its inputs is failed, and the others stay as they were', async () => {
  const place = await lab.newProject({ blank: true });
  const code = [
    'export async function flow(session) {',
    "  await session.run({ name: 'echo', tasks: ['CheckT2Echo'], targets: ['3'] });",
    '}',
    '',
  ].join('\n');
  const run = await lab.startFlow(place, code);
  await lab.ended(place.projectId, run.execution_id);
  const rows = await lab.tasksOf(place.projectId, run.execution_id);
  expect(rows.map(({ status, qid }) => [status, qid])).toEqual([['failed', '3']]);
  const { qubits } = await lab.chips.listQubits(place.projectId, place.chipId, {
    limit: 5,
    offset: 0,
    qids: [],
  });
  expect(qubits.map(({ status }) => status)).toEqual(['pending', 'pending', 'pending', 'failed', 'pending']);
});
