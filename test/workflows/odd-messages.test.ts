import { encode } from '@temporalio/common/lib/encoding.js';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { StartedRun } from '../../shared/domain/runs/model.ts';
import type { RunProgress } from '../../shared/domain/runs/progress-rules.ts';
import { lockWorkflowId, stageWorkflowId } from '../../shared/kernel/engine/workflow-ids.ts';
import { newId } from '../../shared/kernel/new-ids.ts';
import { commonLaboratory } from '../support/common-laboratory.ts';
import { eventually, type LabChip, type Laboratory } from '../support/laboratory.ts';
import { repetitions } from '../support/repetitions.ts';

/** Messages that each workflow is sent under each name. */
const MESSAGES = repetitions({ quick: 25, soak: 250 });
/** The same ones in each test run. */
const SEED = 7;

let lab: Laboratory;
beforeAll(async () => {
  lab = await commonLaboratory();
});

interface Payload {
  metadata: Record<string, Uint8Array>;
  data: Uint8Array;
}

const payload = (encoding: string | null, text: string): Payload => ({
  metadata: encoding === null ? {} : { encoding: encode(encoding) },
  data: encode(text),
});

const json = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom(null, true, 0, -1, 1e300, '', 'x'.repeat(100_000), [], {}),
);

/** Objects with the fields that we take, and anything in them. */
const almostRight = fc.record(
  {
    by: json,
    index: fc.oneof(json, fc.constant(0)),
    answer: json,
    paused: json,
    stopping: json,
    changed_at: json,
  },
  { requiredKeys: [] },
);

/** What hands, and programs that mean something else, send: nothing, too much, odd types, what cannot be read. */
const nonsense = fc.array(
  fc.oneof(
    almostRight.map((value) => payload('json/plain', JSON.stringify(value))),
    json.map((value) => payload('json/plain', JSON.stringify(value))),
    fc.string().map((text) => payload('json/plain', text)),
    fc
      .tuple(
        fc.constantFrom(null, 'binary/null', 'binary/plain', 'json/protobuf', 'nobody/knows'),
        fc.string(),
      )
      .map(([encoding, text]) => payload(encoding, text)),
  ),
  { maxLength: 3 },
);

const messages = () => fc.sample(nonsense, { numRuns: MESSAGES, seed: SEED });

async function signal(workflowId: string, signalName: string, payloads: Payload[]): Promise<void> {
  await lab.engine.connection.workflowService.signalWorkflowExecution({
    namespace: lab.engine.namespace,
    workflowExecution: { workflowId },
    signalName,
    ...(payloads.length > 0 && { input: { payloads } }),
  });
}

/** Sends an update and waits until it was answered, whatever with. */
async function update(workflowId: string, name: string, payloads: Payload[]): Promise<void> {
  await lab.engine.connection.workflowService.updateWorkflowExecution({
    namespace: lab.engine.namespace,
    workflowExecution: { workflowId },
    waitPolicy: { lifecycleStage: 3 },
    request: {
      meta: { updateId: newId() },
      input: { name, ...(payloads.length > 0 && { args: { payloads } }) },
    },
  });
}

/** Fails when the workflow does not answer, or any of its workflow tasks failed. */
async function expectUnharmed(workflowId: string): Promise<RunProgress> {
  const handle = lab.engine.client.workflow.getHandle(workflowId);
  const progress = await handle.query<RunProgress>('progress');
  const { events } = await handle.fetchHistory();
  const failures = (events ?? []).flatMap(({ workflowTaskFailedEventAttributes: failed }) =>
    failed ? [failed.failure?.message] : [],
  );
  expect(failures).toEqual([]);
  return progress;
}

const controls = ['pause', 'resume'];

async function asking(): Promise<{ place: LabChip; run: StartedRun; id: string }> {
  const place = await lab.newProject();
  const run = await lab.startFlow(
    place,
    `export async function flow(session) {
  const { answer } = await session.approval({ question: 'Begin?', options: ['yes', 'no'], deadline_seconds: 3600, default: 'no' });
  await session.run({ name: answer, tasks: ['CheckT1'], targets: session.targets.qubits(['0', '1']), parallel: 1 });
}
`,
  );
  await eventually(async () => lab.areas.approvals.get(place.projectId, run.execution_id, 0));
  return { place, run, id: lockWorkflowId(place.projectId) };
}

async function answered(place: LabChip, run: StartedRun): Promise<void> {
  await lab.areas.approvals.answer(place.projectId, `${run.execution_id}-0`, 'ada', 'yes');
}

describe.each([
  ['signal', signal],
  ['update', update],
] as const)('a nonsensical %s', (_kind, send) => {
  test('to a run that asks people is no answer to its question, and harms nothing', async () => {
    const { place, run, id } = await asking();
    await lab.setFaults({ rules: [] });
    for (const name of [...controls, 'approval', 'nothing of ours']) {
      for (const message of messages()) await send(id, name, message);
    }
    await expectUnharmed(id);
    expect((await lab.areas.approvals.get(place.projectId, run.execution_id, 0))?.status).toBe('pending');
    await signal(id, 'resume', []);
    await answered(place, run);
    const ended = await lab.ended(place.projectId, run.execution_id);
    expect([ended.status, ended.message]).toEqual(['completed', 'The flow ended. 2 of 2 tasks completed.']);
  });

  test('to a run of one task harms nothing, and a stop without a name is a stop', async () => {
    const place = await lab.newProject();
    await lab.setFaults({ rules: [{ match: { project_id: place.projectId }, behaviour: 'stall' }] });
    const run = await lab.startTask(place, 'CheckT1', '0', { reconfigure: true });
    const id = lockWorkflowId(place.projectId);
    await lab.measuring(place.projectId, run.execution_id);
    for (const name of [...controls, 'stop_after_current', 'approval']) {
      for (const message of messages()) await send(id, name, message);
    }
    await expectUnharmed(id);
    await signal(id, 'resume', []);
    await lab.runs.control.cancel(place.projectId, run.flow_run_id);
    expect((await lab.ended(place.projectId, run.execution_id)).status).toBe('cancelled');
  });
});

test('a nonsensical signal to a stage neither pauses nor stops nor harms it', async () => {
  const { place, run } = await asking();
  const rule = { match: { project_id: place.projectId }, behaviour: 'stall' as const };
  await lab.setFaults({ rules: [rule] });
  await answered(place, run);
  await lab.measuring(place.projectId, run.execution_id);
  const id = stageWorkflowId(place.projectId, run.execution_id, 1);
  for (const name of ['control', 'pause', 'approval']) {
    for (const message of messages()) await signal(id, name, message);
  }
  expect((await expectUnharmed(id)).waiting_for).toBeNull();
  await lab.setFaults({ rules: [] });
  await lab.engine.connection.workflowService.resetActivity({
    namespace: lab.engine.namespace,
    execution: { workflowId: id },
    id: 'CheckT1 · 0 · 1',
    identity: 'operator',
  });
  const ended = await lab.ended(place.projectId, run.execution_id);
  expect(ended.message).toBe('The flow ended. 2 of 2 tasks completed.');
});
