import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFlowActivities } from '../../activities/flow.ts';
import { createFlowIsolates } from '../../activities/flow-isolate/isolate.ts';
import { newId } from '../../shared/kernel/new-ids.ts';
import { type LabChip, type Laboratory, openLaboratory, runOf } from '../support/laboratory.ts';

// No worker runs: the first step of each flow is requested here.
let lab: Laboratory;
let large: LabChip;
let small: LabChip;
const isolates = createFlowIsolates();
beforeAll(async () => {
  lab = await openLaboratory();
  large = await lab.newProject({ size: 256 });
  small = await lab.newProject({ size: 4 });
});
afterAll(async () => {
  await isolates.close();
  await lab.close();
});

async function firstStep(place: LabChip, ...lines: string[]) {
  const code = [
    'export async function flow(session) {',
    '  const all = session.targets.all();',
    ...lines,
    '}',
  ];
  const { execution_id } = await lab.startFlow(place, code.join('\n'));
  const run = { ...runOf(place, execution_id), epoch: 1, flow_run_id: newId() };
  const { advanceFlow } = createFlowActivities({
    areas: lab.areas,
    isolates,
    tasksOf: lab.areas.backends.tasksOf,
  });
  return advanceFlow({ run, done: -1 }).finally(async () => {
    await lab.engine.client.workflow.getHandle(`exec:${place.projectId}`).terminate();
  });
}

const first = "  const one = await session.run({ name: 'one', tasks: ['CheckT1'], targets: all });";
const many = (times: number) =>
  `  await session.run({ name: 'many', tasks: Array(${times}).fill('CheckT1'), targets: one.passed });`;

test('a run that would hold too many tasks is refused before its first stage is measured', async () => {
  await expect(firstStep(large, first, many(781))).rejects.toThrow(
    /line 4: stage "many" could not run: a run holds at most 200000 tasks, this stage would make it 200192\. Nothing was measured\.$/,
  );
});

test('a task name that is computed, and wrong, is found before the first stage is measured', async () => {
  const wrong = "  await session.run({ name: 'two', tasks: ['Check' + 'T7'], targets: one.passed });";
  await expect(firstStep(large, first, wrong)).rejects.toThrow(
    /stage "two" could not run: .*CheckT7.* Nothing was/,
  );
});

test('a run of 200,000 tasks begins', async () => {
  expect(await firstStep(large, first, many(780))).toMatchObject({
    kind: 'stage',
    name: 'one',
    targets: 256,
  });
});

test('what depends on measured values, waits or people is not assumed', async () => {
  for (const unknown of [
    "  await session.values('t1', ['0']);",
    '  await session.sleep(1);',
    "  await session.approval({ question: 'Go on?', deadline_seconds: 60, default: 'no' });",
    "  if (one.passed.length === all.length) throw new Error('all passed');",
  ]) {
    expect(await firstStep(large, first, unknown, many(781))).toMatchObject({ kind: 'stage', name: 'one' });
  }
});

test('a small run begins without a rehearsal, and a stage is refused when its flow asks for it', async () => {
  const wrong = "  await session.run({ name: 'two', tasks: ['Check' + 'T7'], targets: one.passed });";
  expect(await firstStep(small, first, wrong)).toMatchObject({ kind: 'stage', name: 'one' });
});

test('a stage whose plan is too large for one document is refused before it is measured', async () => {
  const huge = "  await session.run({ name: 'huge', tasks: Array(9000).fill('CheckT1'), targets: ['0'] });";
  await expect(firstStep(small, huge)).rejects.toThrow(
    /stage "huge" cannot run: its plan of 9000 tasks takes \d+ MiB, and a stage's plan at most 4 MiB/,
  );
});
