import { beforeAll, expect, test } from 'vitest';
import type { Approval } from '../../../../shared/domain/approvals/model.ts';
import { waitingReason } from '../../../../shared/domain/executions/status-rules.ts';
import { lockWorkflowId } from '../../../../shared/kernel/engine/workflow-ids.ts';
import type { ExecutionId } from '../../../../shared/kernel/ids.ts';
import { type CommonLaboratory, commonLaboratory } from '../../../support/common-laboratory.ts';
import { eventually, type LabChip } from '../../../support/laboratory.ts';

let lab: CommonLaboratory;
let approvals: CommonLaboratory['areas']['approvals'];
beforeAll(async () => {
  lab = await commonLaboratory();
  approvals = lab.areas.approvals;
});

/** A flow that asks, and measures one qubit when the answer is yes, another one else. */
const asking = (deadlineSeconds: number) => `export async function flow(session) {
  const { answer } = await session.approval({
    question: 'Warm up?', options: ['yes', 'no'], deadline_seconds: ${deadlineSeconds}, default: 'no',
  });
  await session.run({ name: answer, tasks: ['CheckT1'], targets: session.targets.qubits([answer === 'yes' ? '0' : '1']) });
}
`;

const pending = ({ projectId }: LabChip) =>
  eventually(async (): Promise<Approval | undefined> => {
    const page = await approvals.list(projectId, { status: 'pending' }, { skip: 0, limit: 20 });
    return page.approvals[0];
  });

async function measured({ projectId }: LabChip, executionId: ExecutionId): Promise<string[]> {
  await lab.ended(projectId, executionId);
  return (await lab.tasksOf(projectId, executionId)).map(({ qid }) => qid);
}

test('a run waits for an answer, over a restart of its worker, and goes on with it, also with one that came meanwhile', async () => {
  const place = await lab.newProject();
  const other = await lab.newProject();
  const otherRun = await lab.startFlow(other, asking(3600));
  const { approval_id } = await pending(other);
  const run = await lab.startFlow(place, asking(3600));
  const asked = await pending(place);
  expect(asked).toMatchObject({
    approval_id: `${run.execution_id}-0`,
    execution_id: run.execution_id,
    question: 'Warm up?',
    options: ['yes', 'no'],
    default: 'no',
    status: 'pending',
    answer: null,
    answered_by: null,
    answered_at: null,
  });
  const waiting = await eventually(async () => {
    const execution = await lab.areas.executions.store.get(place.projectId, run.execution_id);
    return execution?.waiting ? waitingReason(execution) : null;
  });
  expect(waiting).toMatch(
    /^an answer to "Warm up\?" until [\d-]{10} [\d:]{5} UTC, since [\d-]{10} [\d:]{5} UTC$/,
  );
  await lab.worker.kill();
  const meanwhile = await approvals.answer(other.projectId, approval_id, 'ada', 'yes');
  expect(meanwhile).toMatchObject({ status: 'answered', answer: 'yes' });
  await lab.worker.start();
  expect(await measured(other, otherRun.execution_id)).toEqual(['0']);
  const answered = await approvals.answer(place.projectId, asked.approval_id, 'ada', 'yes');
  expect(answered).toMatchObject({ status: 'answered', answer: 'yes', answered_by: 'ada' });
  expect(await measured(place, run.execution_id)).toEqual(['0']);
  const ended = await lab.areas.executions.store.get(place.projectId, run.execution_id);
  expect(ended?.waiting).toBeNull();
});

test('of many who answer at once one wins, and the run goes by that answer', async () => {
  const place = await lab.newProject();
  const run = await lab.startFlow(place, asking(3600));
  const { approval_id } = await pending(place);
  const answers = await Promise.allSettled(
    Array.from({ length: 12 }, (_, person) =>
      approvals.answer(place.projectId, approval_id, `person ${person}`, person % 2 ? 'yes' : 'no'),
    ),
  );
  const won = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
  const lost = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
  expect(won).toHaveLength(1);
  for (const reason of lost) expect(reason).toMatchObject({ code: 'already_answered', status: 409 });
  expect(await measured(place, run.execution_id)).toEqual([won[0]?.answer === 'yes' ? '0' : '1']);
});

test('after the deadline the default counts, and answers come too late', async () => {
  const place = await lab.newProject();
  const run = await lab.startFlow(place, asking(1));
  expect(await measured(place, run.execution_id)).toEqual(['1']);
  const page = await approvals.list(place.projectId, {}, { skip: 0, limit: 20 });
  expect(page.approvals).toMatchObject([{ status: 'expired', answer: 'no', answered_by: null }]);
  await expect(
    approvals.answer(place.projectId, `${run.execution_id}-0`, 'ada', 'yes'),
  ).rejects.toMatchObject({
    status: 409,
    message: expect.stringContaining('deadline'),
  });
});

test('a question of a run that is stopped or cancelled is withdrawn', async () => {
  const place = await lab.newProject();
  const ends = [
    (run: { execution_id: ExecutionId }) => lab.runs.control.stop(place.projectId, run.execution_id, 'ada'),
    (run: { flow_run_id: string }) => lab.runs.control.cancel(place.projectId, run.flow_run_id),
  ];
  for (const end of ends) {
    const run = await lab.startFlow(place, asking(3600));
    const { approval_id } = await pending(place);
    await end(run);
    expect((await lab.ended(place.projectId, run.execution_id)).status).toBe('cancelled');
    await lab.free(place.projectId);
    await expect(approvals.answer(place.projectId, approval_id, 'ada', 'yes')).rejects.toMatchObject({
      message: 'The run that asked this question has ended.',
    });
  }
});

test('an answer sent by hand counts, whether as an update or as a signal, and only one that the question offers', async () => {
  const { workflow } = lab.engine.client;
  for (const send of ['update', 'signal'] as const) {
    const place = await lab.newProject();
    const run = await lab.startFlow(place, asking(3600));
    const { approval_id } = await pending(place);
    const handle = workflow.getHandle(lockWorkflowId(place.projectId));
    const update = (answer: string) =>
      handle.executeUpdate<string, [unknown]>('approval', { args: [{ answer, by: 'grace' }] });
    await expect(update('perhaps')).rejects.toMatchObject({ cause: { type: 'NoSuchOption' } });
    await handle.signal('approval', { index: 0 });
    await handle.signal('approval', { answer: 'perhaps', by: 'grace' });
    if (send === 'signal') await handle.signal('approval', { answer: 'yes', by: 'grace' });
    else expect(await update('yes')).toBe('answered');
    expect(await measured(place, run.execution_id)).toEqual(['0']);
    const listed = await approvals.list(place.projectId, {}, { skip: 0, limit: 20 });
    expect(listed.approvals).toMatchObject([
      { approval_id, status: 'answered', answer: 'yes', answered_by: 'grace' },
    ]);
  }
});
