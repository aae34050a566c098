import { appendFile, readFile, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFlowActivities } from '../../activities/flow.ts';
import { createFlowIsolates } from '../../activities/flow-isolate/isolate.ts';
import { keyOf } from '../../shared/kernel/ids.ts';
import { newId } from '../../shared/kernel/new-ids.ts';
import { eventually, type LabChip, type Laboratory, openLaboratory, runOf } from '../support/laboratory.ts';

// No worker runs: the steps of a flow are requested here, one by one, as its workflow would.
let lab: Laboratory;
const isolates = createFlowIsolates();
beforeAll(async () => {
  lab = await openLaboratory();
});
afterAll(async () => {
  await isolates.close();
  await lab.close();
});

/** Starts a flow of these lines, and asks for its steps. */
async function startFlow(place: LabChip, ...lines: string[]) {
  const { projectId } = place;
  const code = ['export async function flow(session) {', ...lines, '}'].join('\n');
  const { execution_id } = await lab.startFlow(place, code);
  const run = { ...runOf(place, execution_id), epoch: 1, flow_run_id: newId() };
  const { advanceFlow, advanceFlowLocally } = createFlowActivities({
    areas: lab.areas,
    isolates,
    tasksOf: lab.areas.backends.tasksOf,
  });
  return {
    advance: (done: number, answer?: Parameters<typeof advanceFlow>[0]['answer']) =>
      advanceFlow({ run, done, ...(answer ? { answer } : {}) }),
    advanceAtOnce: (done: number) => advanceFlowLocally({ run, done }),
    /** The next step is asked of an isolate that knows nothing, as after the death of a worker. */
    forget: () => isolates.drop(keyOf(projectId, execution_id)),
    logFile: () => {
      const [day = '', index = ''] = execution_id.split('-');
      return join(lab.settings.CALIB_DATA_PATH, projectId, place.chipId, day, index, 'log.jsonl');
    },
    steps: () => lab.areas.executions.commands.ofExecution(projectId, execution_id),
    entries: () => lab.areas.executions.commands.newestEntries(projectId, execution_id, 5000),
    endStage: (index: number, passed: string[]) =>
      lab.areas.executions.commands.complete(projectId, execution_id, index, {
        status: 'done',
        summary: {
          counts: { completed: passed.length, failed: 0, skipped: 0, cancelled: 0, total: passed.length },
          passed,
          failed: [],
        },
        at: new Date(),
      }),
  };
}

const setValue = ({ projectId, chipId }: LabChip, qid: string, value: number) =>
  lab.database.db
    .collection<{ _id: string }>('qubits')
    .updateOne({ _id: keyOf(projectId, chipId, qid) }, { $set: { 'data.t1.value': value } });

test('a step that is requested again, also by a new worker, keeps the answers of the first time', async () => {
  const place = await lab.newProject();
  await setValue(place, '0', 50);
  const flow = await startFlow(
    place,
    "  const { 0: t1 } = await session.values('t1', ['0']);",
    '  const targets = session.targets.muxes([0]);',
    "  const first = await session.run({ name: 'T1 of ' + t1, tasks: ['CheckT1'], targets, mode: 'scheduled' });",
    "  session.log(first.passed.length + ' passed, T1 was ' + t1);",
  );
  const stage = await flow.advance(-1);
  expect(stage).toMatchObject({ kind: 'stage', index: 2, name: 'T1 of 50', targets: 4, tasks: 1 });
  const stored = await flow.steps();
  expect(stored.map((step) => [step.index, step.kind, step.status])).toEqual([
    [0, 'values', 'done'],
    [1, 'qubit_schedule', 'done'],
    [2, 'stage', 'planned'],
  ]);
  await setValue(place, '0', 80);
  expect(await flow.advance(-1)).toEqual(stage);
  flow.forget();
  expect(await flow.advance(-1)).toEqual(stage);
  expect(await flow.steps()).toEqual(stored);
  await flow.endStage(2, ['0', '1', '2', '3']);
  flow.forget();
  expect(await flow.advance(2)).toEqual({ kind: 'end' });
  expect((await flow.entries()).map((entry) => entry.text)).toEqual(['4 passed, T1 was 50']);
});

test('a step within a workflow task is the same step for an activity that continues it', async () => {
  const place = await lab.newProject({ blank: true });
  const flow = await startFlow(place, "  session.log('begins');", '  await session.sleep(1);');
  // On a busy machine the isolate may take longer than a moment to begin.
  const step = await eventually(() => flow.advanceAtOnce(-1));
  expect(step).toEqual({ kind: 'sleep', index: 0, seconds: 1 });
  expect(await flow.advance(-1)).toEqual(step);
  expect(await flow.advanceAtOnce(0)).toEqual({ kind: 'end' });
  expect((await flow.entries()).map((entry) => entry.text)).toEqual(['begins']);
});

test('a flow that computes for long is left to an activity, which keeps what it said once', async () => {
  const place = await lab.newProject({ blank: true });
  const flow = await startFlow(place, "  session.log('begins');", '  for (;;) {}');
  expect(await flow.advanceAtOnce(-1)).toBeNull();
  expect(await flow.entries()).toEqual([]);
  await expect(flow.advance(-1)).rejects.toThrow(/computed for more than 2 s/);
  expect((await flow.entries()).map((entry) => entry.text)).toEqual(['begins']);
});

test('a step within a workflow task waits for no other flow that computes', async () => {
  const busy = await startFlow(await lab.newProject({ blank: true }), '  for (;;) {}');
  const flow = await startFlow(await lab.newProject({ blank: true }), '  await session.sleep(1);');
  const computing = busy.advance(-1).catch((thrown: unknown) => thrown);
  await expect.poll(() => flow.advanceAtOnce(-1)).toBeNull();
  expect(await computing).toMatchObject({ message: expect.stringMatching(/computed for more than 2 s/) });
  // On a busy machine its first steps may take longer than a workflow task waits.
  await expect.poll(() => flow.advanceAtOnce(-1)).toMatchObject({ kind: 'sleep' });
});

test('a chip that changes during a run does not change what the run sees of it', async () => {
  const place = await lab.newProject({ size: 4 });
  const flow = await startFlow(
    place,
    "  await session.run({ name: 'all', tasks: ['CheckT1'], targets: session.targets.all() });",
    "  await session.run({ name: 'again', tasks: ['CheckT1'], targets: session.targets.all() });",
  );
  expect(await flow.advance(-1)).toMatchObject({ kind: 'stage', targets: 4 });
  await flow.endStage(0, ['0']);
  const { projectId, chipId } = place;
  const more = {
    _id: keyOf(projectId, chipId, '4'),
    project_id: projectId,
    chip_id: chipId,
    qid: '4',
    qid_order: 4,
  };
  await lab.database.db.collection<{ _id: string }>('qubits').insertOne(more);
  flow.forget();
  expect(await flow.advance(0)).toMatchObject({ kind: 'stage', index: 1, targets: 4 });
});

test('pairs are scheduled by the direction of the topology, and the plan says in which steps', async () => {
  const place = await lab.newProject({ size: 4 });
  const flow = await startFlow(
    place,
    '  const pairs = await session.schedulePairs({ max_parallel_ops: 1 });',
    "  await session.twoQubit(pairs, { tasks: ['Check2QGateCoherenceLimit'] });",
  );
  expect(await flow.advance(-1)).toMatchObject({ kind: 'stage', index: 1, targets: 4 });
  const [asked, stage] = await flow.steps();
  expect(asked).toMatchObject({ kind: 'pair_schedule', answer: { direction_method: 'design' } });
  expect(stage?.targets.toSorted()).toEqual(['0-1', '0-2', '3-1', '3-2']);
  expect(stage?.schedule).toEqual(stage?.targets.map((pair) => [[pair]]));
});

test('the answer to an approval reaches the flow', async () => {
  const place = await lab.newProject({ blank: true });
  const flow = await startFlow(
    place,
    "  const { answer, answered_by } = await session.approval({ question: 'Go on?', deadline_seconds: 60, default: 'no' });",
    '  session.log(answer, answered_by);',
  );
  expect(await flow.advance(-1)).toEqual({
    kind: 'approval',
    index: 0,
    question: 'Go on?',
    options: ['yes', 'no'],
    deadline_seconds: 60,
    default: 'no',
  });
  const answer = { kind: 'approval', answer: 'yes', answered_by: 'ada', expired: false } as const;
  expect(await flow.advance(0, answer)).toEqual({ kind: 'end' });
  expect((await flow.entries()).map((entry) => entry.text)).toEqual(['yes ada']);
});

test('the store keeps both ends of a long log and all values, and a file keeps all of it', async () => {
  const place = await lab.newProject({ blank: true });
  const flow = await startFlow(
    place,
    '  for (let i = 0; i < 3; i++) {',
    '    for (let j = 0; j < 700; j++) session.log(i * 1000 + j);',
    "    session.record('round', i);",
    '    await session.sleep(1);',
    '  }',
  );
  const logged = async () =>
    (await readFile(flow.logFile(), 'utf8')).split('\n').flatMap((line) => (line ? [JSON.parse(line)] : []));
  await flow.advance(-1);
  await flow.advance(0);
  await flow.advance(1);
  const all = await logged();
  expect(all.map(({ index }) => index)).toEqual(Array.from({ length: 2103 }, (_, index) => index));
  expect(all[700]).toMatchObject({ kind: 'record', name: 'round', value: 0 });
  expect(all[2102]).toMatchObject({ kind: 'record', name: 'round', value: 2 });
  expect(all[2101]).toEqual({ index: 2101, at: expect.any(String), kind: 'log', message: '2699' });

  const kept = await flow.entries();
  const messages = kept.filter(({ kind }) => kind === 'log').map(({ index }) => index);
  expect(messages).toEqual([
    ...Array.from({ length: 501 }, (_, index) => index),
    ...Array.from({ length: 499 }, (_, index) => 1603 + index),
  ]);
  expect(kept.find(({ index }) => index === 500)?.text).toMatch(
    /^The messages between this and the newest 500 are in the file .*\/log\.jsonl\.$/,
  );
  expect(kept.filter(({ kind }) => kind === 'record').map(({ value }) => value)).toEqual([0, 1, 2]);

  // A step that is repeated, also after a kill that cut off a line, changes neither.
  flow.forget();
  await flow.advance(1);
  expect(await logged()).toEqual(all);
  expect(await flow.entries()).toEqual(kept);
  const size = Buffer.byteLength(await readFile(flow.logFile()));
  await truncate(flow.logFile(), size - 30);
  await appendFile(flow.logFile(), '{"ind');
  flow.forget();
  await flow.advance(1);
  expect((await logged()).map(({ index }) => index)).toEqual(all.map(({ index }) => index));
});

test('a code that was replaced under its hash is noticed: the run fails instead of mixing two plans', async () => {
  const place = await lab.newProject({ blank: true });
  const flow = await startFlow(place, '  await session.sleep(1);', '  await session.sleep(2);');
  expect(await flow.advance(-1)).toMatchObject({ kind: 'sleep', seconds: 1 });
  const versions = lab.database.db.collection<{ _id: string; javascript: string }>('flow_versions');
  const version = await versions.findOne({ project_id: place.projectId });
  const javascript = version?.javascript.replace('sleep(1)', 'sleep(7)') ?? '';
  await versions.updateOne({ _id: version?._id ?? '' }, { $set: { javascript } });
  flow.forget();
  await expect(flow.advance(0)).rejects.toThrow(
    /flow "nightly" line 2: re-executed, the flow asks for a wait of 7 s where it had requested a wait of 1 s/,
  );
});

test('a stage keeps no more targets in flight than its history can hold, whatever the flow asks for', async () => {
  const stage = (parallel: number) =>
    `  await session.run({ name: 'check', tasks: ['CheckT1'], targets: ['0'], parallel: ${parallel} });`;
  const flow = await startFlow(await lab.newProject(), stage(2), stage(5000));
  expect(await flow.advance(-1)).toMatchObject({ kind: 'stage', parallel: 2 });
  await flow.endStage(0, ['0']);
  expect(await flow.advance(0)).toMatchObject({ kind: 'stage', parallel: 128 });
});
