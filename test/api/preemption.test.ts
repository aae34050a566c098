import { afterAll, beforeAll, expect, test } from 'vitest';
import { agentAction } from '../../shared/domain/agent-sessions/action-model.ts';
import { agentSession } from '../../shared/domain/agent-sessions/model.ts';
import { executionDetail } from '../../shared/domain/executions/model.ts';
import { isEndStatus } from '../../shared/domain/executions/status-rules.ts';
import { startedRun } from '../../shared/domain/runs/model.ts';
import { scheduleAnswer, scheduleList } from '../../shared/domain/schedules/model.ts';
import { newId } from '../../shared/kernel/new-ids.ts';
import { eventually, oneStage } from '../support/laboratory.ts';
import { type LaboratoryApi, openLaboratoryApi } from '../support/laboratory-api.ts';

const CHIP = 'CHIP';
/** A flow that waits for a person: a run of higher priority can use the chip at once. */
const WAITS = `export async function flow(session) {
  await session.approval({ question: 'Go on?', options: ['yes', 'no'], deadline_seconds: 3600, default: 'no' });
}`;

let api: LaboratoryApi;
/** Execution id of the long run. */
let long: string;
beforeAll(async () => {
  api = await openLaboratoryApi();
  await api.newProject(CHIP, ['0', '1']);
  await api.ask('/flows', { name: 'night', flow_function_name: 'flow', chip_id: CHIP, code: WAITS });
  const code = oneStage(['CheckT1'], ['1']);
  await api.ask('/flows', { name: 'short', flow_function_name: 'flow', chip_id: CHIP, code });
  const run = await api.ask('/flows/night/execute', { allow_preemption: true, priority: 1 });
  long = startedRun.parse(await run.json()).execution_id;
  await eventually(async () => (await detail(long)).waiting?.includes('Go on?'));
});
afterAll(async () => {
  await api.ask(`/executions/${long}/cancel`, {});
  await eventually(async () => isEndStatus((await detail(long)).status));
  await api.close();
});

const detail = async (id: string) => executionDetail.parse(await (await api.ask(`/executions/${id}`)).json());

/** Waits until the run has ended as a run in between, and the long one waits for its person again. */
async function expectInBetween(id: string): Promise<void> {
  const ended = await eventually(async () => {
    const execution = await detail(id);
    return isEndStatus(execution.status) ? execution : null;
  });
  expect(ended).toMatchObject({ status: 'completed', preempts: long, preempted_by: null });
  expect(decodeURIComponent(ended.flow_run_url ?? '')).toContain(`/${id}/`);
  await eventually(async () => (await detail(long)).preempted_by === null);
  expect((await detail(long)).waiting).toContain('Go on?');
}

test('a single task with a priority uses the chip of a run that allows it', async () => {
  const given = { chip_id: CHIP, qid: '0', priority: 2 };
  const run = startedRun.parse(await (await api.ask('/tasks/CheckT1/execute', given)).json());
  await expectInBetween(run.execution_id);
});

test("an agent's measurement uses it, if the policy of its session has a priority", async () => {
  const policy = { qids: ['0'], allowed_tasks: ['CheckT1'], priority: 2 };
  const session = agentSession.parse(
    await (await api.ask('/agent-sessions', { chip_id: CHIP, policy })).json(),
  );
  expect(session.policy.priority).toBe(2);
  const path = `/agent-sessions/${session.session_id}/actions`;
  const proposed = await api.ask(path, {
    ...{ action_type: 'run_task', task_name: 'CheckT1', qids: ['0'], diagnosis: 'It may have drifted.' },
    ...{ idempotency_key: newId(), expected_state_version: session.state_version },
  });
  const { action_id } = agentAction.parse(await proposed.json());
  const begun = agentAction.parse(await (await api.ask(`${path}/${action_id}/execute`, {})).json());
  await expectInBetween(begun.execution_id ?? expect.fail());
});

test('a scheduled run uses it, if its schedule has a priority', async () => {
  const given = { cron: '0 0 1 1 *', priority: 2 };
  const { schedule_id } = scheduleAnswer.parse(await (await api.ask('/flows/short/schedule', given)).json());
  const listed = async () => {
    const { schedules } = scheduleList.parse(await (await api.ask('/flows/short/schedules')).json());
    return schedules[0] ?? expect.fail();
  };
  expect(await listed()).toMatchObject({ priority: 2, allow_preemption: false });
  await api.lab.engine.client.schedule.getHandle(schedule_id).trigger();
  const outcome = await eventually(async () => (await listed()).last_outcome);
  expect(outcome.status, outcome.message).toBe('started');
  await expectInBetween(outcome.execution_id ?? expect.fail());
});
