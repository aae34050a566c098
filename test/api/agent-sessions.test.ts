import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agentAction, agentActionList } from '../../shared/domain/agent-sessions/action-model.ts';
import { agentSession, agentSessionList, gateAnswer } from '../../shared/domain/agent-sessions/model.ts';
import { executionDetail } from '../../shared/domain/executions/model.ts';
import { keyOf } from '../../shared/kernel/ids.ts';
import { newId } from '../../shared/kernel/new-ids.ts';
import { agentPolicy as policy } from '../support/stored-results.ts';
import { type AgentDesk, agentDesk, runT1 } from './agents.ts';
import { type Api, expectError, expectProblems, type Person, read, startApi } from './harness.ts';
import { type Laboratory, makeLaboratory } from './laboratory.ts';

let api: Api;
let owner: Person;
let editor: Person;
let viewer: Person;
let laboratory: Laboratory;
/** The editor's. */
let desk: AgentDesk;

beforeAll(async () => {
  api = await startApi({ engine: 'prepared', environment: { AGENT_SESSIONS_PER_PROJECT: '40' } });
  [owner, editor, viewer] = await Promise.all([api.makePerson(), api.makePerson(), api.makePerson()]);
  laboratory = await makeLaboratory(api, owner, viewer);
  await api.addMember(laboratory.project, editor, 'editor');
  desk = agentDesk(api, laboratory.project, editor);
});
afterAll(() => api.close());

describe('a session', () => {
  test('has everything that the policy left out', async () => {
    const { qids, allowed_tasks } = policy;
    const body = {
      chip_id: 'CHIP',
      policy: { qids: ['1', '0', '1'], allowed_tasks },
      skill_name: 'bring-up',
    };
    const made = read(agentSession, await desk.as('/agent-sessions', { method: 'POST', body }), 201);
    expect(made).toEqual({
      session_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      project_id: laboratory.project,
      chip_id: 'CHIP',
      created_by: editor.username,
      policy: {
        qids: [...qids].reverse(),
        allowed_tasks,
        allowed_actions: ['run_task', 'request_human', 'complete_session'],
        allowed_overrides: {},
        quality_gates: {},
        allow_reconfigure: false,
        max_actions: 100,
      },
      skill_name: 'bring-up',
      skill_version: '',
      skill_hash: '',
      model_name: '',
      status: 'active',
      state_version: 0,
      action_count: 0,
      created_at: expect.stringMatching(/Z$/),
      updated_at: made.created_at,
      expires_at: expect.stringMatching(/Z$/),
    });
    expect(Date.parse(made.expires_at) - Date.parse(made.created_at)).toBe(21_600_000);
    expect(await desk.state(made.session_id)).toEqual(made);
    const page = { query: { chip_id: 'CHIP', status: 'active', limit: '1' } };
    const { items, total } = read(agentSessionList, await desk.as('/agent-sessions', page));
    expect(items).toEqual([made]);
    expect(total).toBeGreaterThanOrEqual(1);
  });

  test('is made on a chip of the project, within the limits of the request', async () => {
    const post = (body: unknown) => desk.as('/agent-sessions', { method: 'POST', body });
    expectError(await post({ chip_id: 'NONE', policy }), 404, 'not_found');
    const { allowed_tasks } = policy;
    expectProblems(
      await post({ chip_id: 'CHIP', policy: { qids: [], allowed_tasks }, expires_in_seconds: 59 }),
      [
        ['too_short', 'body', 'policy', 'qids'],
        ['greater_than_equal', 'body', 'expires_in_seconds'],
      ],
    );
    const upsideDown = { ...policy, allowed_overrides: { t1: { minimum: 2, maximum: 1 } } };
    expect((await post({ chip_id: 'CHIP', policy: upsideDown })).status).toBe(422);
    expect((await post({ chip_id: 'CHIP', policy: { ...policy, quality_gates: { r2: {} } } })).status).toBe(
      422,
    );
  });

  test('waits for a person after request_human, and is resumed or cancelled by its creator or the owner', async () => {
    const { session_id } = await desk.open();
    const asked = await desk.propose(session_id, {
      action_type: 'request_human',
      diagnosis: 'The fridge warms up.',
    });
    expect(asked).toMatchObject({ decision: 'authorized', state_version_before: 0, state_version_after: 1 });
    expect(await desk.state(session_id)).toMatchObject({ status: 'waiting_for_human', action_count: 1 });
    expectError(await desk.submit(session_id, runT1), 409, 'session_closed');
    const url = `/agent-sessions/${session_id}`;
    const asOwner = api.as(owner, laboratory.project);
    const resumed = read(agentSession, await asOwner(`${url}/resume`, { method: 'POST' }));
    expect(resumed).toMatchObject({ status: 'active', state_version: 2 });
    expectError(await desk.as(`${url}/resume`, { method: 'POST' }), 409, 'session_closed');
    const other = await api.makePerson();
    await api.addMember(laboratory.project, other, 'editor');
    const asOther = api.as(other, laboratory.project);
    expectError(await asOther(`${url}/cancel`, { method: 'POST' }), 403, 'forbidden');
    const cancelled = read(agentSession, await desk.as(`${url}/cancel`, { method: 'POST' }));
    expect(cancelled).toMatchObject({ status: 'cancelled', state_version: 3 });
    expectError(await desk.as(`${url}/cancel`, { method: 'POST' }), 409, 'session_closed');
  });

  test('expires while it waits for a person too, and cannot be resumed then', async () => {
    const { session_id } = await desk.open();
    await desk.propose(session_id, { action_type: 'request_human' });
    await desk.tamper(session_id, { expires_at: new Date(Date.now() - 1) });
    const { items } = read(
      agentSessionList,
      await desk.as('/agent-sessions', { query: { status: 'expired' } }),
    );
    expect(items.map((each) => each.session_id)).toContain(session_id);
    expect((await desk.state(session_id)).status).toBe('expired');
    const resume = await desk.as(`/agent-sessions/${session_id}/resume`, { method: 'POST' });
    expectError(resume, 409, 'session_closed');
  });

  test('can be completed without budget, without the right, and while it waits', async () => {
    const spent = await desk.open({ max_actions: 1, allowed_actions: ['run_task', 'request_human'] });
    await desk.propose(spent.session_id, { action_type: 'request_human' });
    const done = await desk.propose(spent.session_id, { action_type: 'complete_session' });
    expect(done.decision).toBe('authorized');
    expect(await desk.state(spent.session_id)).toMatchObject({ status: 'completed', action_count: 1 });
  });

  test('of another project, or with an id of no session, is not found', async () => {
    const { session_id } = await desk.open();
    const elsewhere = api.as(owner, await api.makeProject(owner));
    expectError(await elsewhere(`/agent-sessions/${session_id}`), 404, 'not_found');
    expectError(await desk.as('/agent-sessions/nonsense'), 404, 'not_found');
  });

  test('is one of so many open ones that a project may have', async () => {
    const elsewhere = await api.makeProject(owner);
    const as = api.as(owner, elsewhere);
    await as('/chips', { method: 'POST', body: { chip_id: 'CHIP', size: 4 } });
    const at = new Date();
    const open = { project_id: elsewhere, status: 'active', created_at: at };
    const later = new Date(at.getTime() + 60_000);
    const rows = Array.from({ length: 40 }, () => ({
      _id: keyOf(elsewhere, newId()),
      ...open,
      expires_at: later,
    }));
    const sessions = api.database.db.collection<{ _id: string }>('agent_sessions');
    await sessions.insertMany(rows);
    const create = () => as('/agent-sessions', { method: 'POST', body: { chip_id: 'CHIP', policy } });
    expect(expectError(await create(), 409, 'quota_exceeded')).toContain('AGENT_SESSIONS_PER_PROJECT');
    await sessions.updateOne({ _id: rows[0]?._id ?? '' }, { $set: { expires_at: at } });
    expect((await create()).status).toBe(201);
  });
});

describe('an action', () => {
  test('is authorized, audited in order and raises version and count', async () => {
    const { session_id } = await desk.open();
    const first = await desk.propose(session_id, {
      ...runT1,
      parameter_overrides: { readout_amplitude: 0.2 },
      diagnosis: 'T1 looks short.',
    });
    expect(first).toEqual({
      action_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      session_id,
      idempotency_key: expect.any(String),
      action_type: 'run_task',
      task_name: 'CheckT1',
      qids: ['0'],
      parameter_overrides: { readout_amplitude: 0.2 },
      diagnosis: 'T1 looks short.',
      decision: 'authorized',
      reason: '',
      execution_status: 'not_started',
      operation_id: null,
      execution_id: null,
      state_version_before: 0,
      state_version_after: 1,
      created_at: expect.stringMatching(/Z$/),
    });
    const second = await desk.propose(session_id, { ...runT1, task_name: 'CheckRamsey' });
    expect(second).toMatchObject({ decision: 'rejected', state_version_before: 1, state_version_after: 2 });
    expect(await desk.state(session_id)).toMatchObject({ state_version: 2, action_count: 1 });
    const list = read(agentActionList, await desk.as(`/agent-sessions/${session_id}/actions`));
    expect(list).toEqual({ items: [first, second], total: 2 });
    const page = await desk.as(`/agent-sessions/${session_id}/actions`, { query: { skip: '1', limit: '1' } });
    expect(read(agentActionList, page)).toEqual({ items: [second], total: 2 });
    const url = `/agent-sessions/${session_id}/actions/${second.action_id}`;
    expect(read(agentAction, await desk.as(url))).toEqual(second);
  });

  test('is stored with its version even when the process died in between', async () => {
    const { session_id } = await desk.open();
    const body = { ...runT1, idempotency_key: 'cut off', expected_state_version: 0 };
    const first = await desk.propose(session_id, body);
    const { db } = api.database;
    const actions = db.collection<{ _id: string; action_id: string }>('agent_actions');
    const document = await actions.findOne({ action_id: first.action_id });
    await actions.deleteOne({ action_id: first.action_id });
    await desk.tamper(session_id, { entry: { kind: 'action', document } });
    expect(await desk.propose(session_id, body)).toEqual(first);
    expect(await desk.state(session_id)).toMatchObject({ state_version: 1, action_count: 1 });
  });

  test('sent twice at once is one action, and of two others only one is taken', async () => {
    const { session_id } = await desk.open();
    const url = `/agent-sessions/${session_id}/actions`;
    const send = (key: string) =>
      desk.as(url, { method: 'POST', body: { ...runT1, idempotency_key: key, expected_state_version: 0 } });
    const same = await Promise.all([send('a'), send('a'), send('a')]);
    expect(new Set(same.map((answer) => read(agentAction, answer, 201).action_id)).size).toBe(1);
    const { session_id: other } = await desk.open();
    const race = ['a', 'b', 'c'].map((key) =>
      desk.as(`/agent-sessions/${other}/actions`, {
        method: 'POST',
        body: { ...runT1, idempotency_key: key, expected_state_version: 0 },
      }),
    );
    const statuses = (await Promise.all(race)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([201, 409, 409]);
    expect(await desk.state(other)).toMatchObject({ state_version: 1, action_count: 1 });
  });

  test('needs a task and targets to run one, and nothing of the kind else', async () => {
    const { session_id } = await desk.open();
    expectProblems(await desk.submit(session_id, { action_type: 'run_task' }), [
      ['missing', 'body', 'task_name'],
      ['missing', 'body', 'qids'],
    ]);
    const human = { action_type: 'request_human', task_name: 'CheckT1', parameter_overrides: { t1: 20 } };
    expectProblems(await desk.submit(session_id, human), [
      ['value_error', 'body', 'task_name'],
      ['value_error', 'body', 'parameter_overrides'],
    ]);
  });

  test('that can never run is rejected with what is wrong', async () => {
    const { session_id } = await desk.open({ qids: ['0', '99'], allowed_tasks: ['CheckT1', 'CheckNothing'] });
    const reasonOf = async (body: Record<string, unknown>) => {
      const { decision, reason } = await desk.propose(session_id, { ...runT1, ...body });
      expect(decision).toBe('rejected');
      return reason;
    };
    expect(await reasonOf({ task_name: 'CheckNothing' })).toContain('There is no task CheckNothing');
    expect(await reasonOf({ qids: ['99'] })).toContain('99');
    expect(await reasonOf({ parameter_overrides: { t1: 20 } })).toContain('CheckT1 has no input t1');
    expect(await desk.state(session_id)).toMatchObject({ action_count: 0, state_version: 3 });
  });

  test('is run once, in the name of who made the session', async () => {
    const { session_id } = await desk.open();
    const action = await desk.propose(session_id, {
      ...runT1,
      parameter_overrides: { readout_amplitude: 0.1 },
    });
    const [first, second] = await Promise.all([
      desk.execute(session_id, action.action_id),
      desk.execute(session_id, action.action_id),
    ]);
    expect([first.status, second.status]).toEqual([200, 200]);
    const queued = read(agentAction, await desk.execute(session_id, action.action_id));
    expect(queued).toMatchObject({
      execution_status: 'scheduled',
      execution_id: expect.stringMatching(/^\d{8}-\d{3}$/),
    });
    const detail = read(executionDetail, await desk.as(`/executions/${queued.execution_id}`));
    expect(detail).toMatchObject({
      flow_name: 'agent:CheckT1',
      username: editor.username,
      tags: [`agent-session:${session_id}`],
      note: { flow_run_id: queued.operation_id },
    });
    const request = await api.database.db
      .collection<{ _id: string }>('execution_requests')
      .findOne({ _id: keyOf(laboratory.project, queued.execution_id ?? '') });
    expect(request).toMatchObject({
      task: { persist: false, input_overrides: { readout_amplitude: 0.1 }, from_snapshot: false },
    });
    const other = await desk.propose(session_id);
    expectError(await desk.execute(session_id, other.action_id), 409, 'project_busy');
    await laboratory.free();
    const ended = read(
      agentAction,
      await desk.as(`/agent-sessions/${session_id}/actions/${action.action_id}`),
    );
    expect(ended.execution_status).toBe('cancelled');
    const again = read(agentAction, await desk.execute(session_id, other.action_id));
    expect(again.execution_status).toBe('queued');
    await laboratory.free();
  });

  test('whose start was cut off is mended by the run that came of it, or is free to be started again', async () => {
    const { session_id } = await desk.open();
    const action = await desk.propose(session_id);
    const begun = read(agentAction, await desk.execute(session_id, action.action_id));
    const actions = api.database.db.collection<{ _id: string; action_id: string }>('agent_actions');
    const cutOff = (action_id: string, dispatched_at: Date) =>
      actions.updateOne(
        { action_id },
        { $set: { execution_status: 'dispatching', operation_id: null, execution_id: null, dispatched_at } },
      );
    await cutOff(action.action_id, new Date());
    const mended = read(
      agentAction,
      await desk.as(`/agent-sessions/${session_id}/actions/${action.action_id}`),
    );
    expect(mended).toMatchObject({ execution_id: begun.execution_id, operation_id: begun.operation_id });
    await laboratory.free();
    const never = await desk.propose(session_id);
    const url = `/agent-sessions/${session_id}/actions/${never.action_id}`;
    await cutOff(never.action_id, new Date());
    expect(read(agentAction, await desk.as(url)).execution_status).toBe('dispatching');
    await cutOff(never.action_id, new Date(Date.now() - 3600_000));
    expect(read(agentAction, await desk.as(url)).execution_status).toBe('not_started');
    expect(read(agentAction, await desk.execute(session_id, never.action_id)).execution_status).toBe(
      'queued',
    );
    await laboratory.free();
  });

  test('is refused where it cannot be run, and starts from a snapshot where it is asked to', async () => {
    const { session_id } = await desk.open();
    const two = await desk.propose(session_id, { ...runT1, qids: ['0', '1'] });
    expectError(await desk.execute(session_id, two.action_id), 400, 'bad_request');
    const one = await desk.propose(session_id);
    expectError(await desk.execute(session_id, one.action_id, { reconfigure: true }), 409, 'not_ready');
    expect((await desk.execute(session_id, one.action_id, { update_params: true })).status).toBe(422);
    const unknown = { source_execution_id: '20200101-000' };
    expectError(await desk.execute(session_id, one.action_id, unknown), 400, 'bad_request');
    expect(
      read(agentAction, await desk.as(`/agent-sessions/${session_id}/actions/${one.action_id}`)),
    ).toMatchObject({ execution_status: 'not_started' });
    // What was asked with the action was wrong, not the action.
    const repaired = read(agentAction, await desk.execute(session_id, one.action_id));
    expect(repaired.execution_status).toBe('queued');
    await laboratory.free();
    const { action, task_id } = await desk.measured(session_id);
    const source = read(
      agentAction,
      await desk.as(`/agent-sessions/${session_id}/actions/${action.action_id}`),
    );
    const next = await desk.propose(session_id);
    const from = { source_execution_id: source.execution_id };
    const started = read(agentAction, await desk.execute(session_id, next.action_id, from));
    const request = await api.database.db
      .collection<{ _id: string }>('execution_requests')
      .findOne({ _id: keyOf(laboratory.project, started.execution_id ?? '') });
    expect(request).toMatchObject({ task: { from_snapshot: true, source_task_id: task_id } });
    await laboratory.free();
  });
});

describe('the gate', () => {
  test('tells what the bounds of the session say, and writes nothing', async () => {
    const { session_id } = await desk.open();
    const ask = async (parameter_name: string, value: number) => {
      const body = { parameter_name, value };
      const url = `/agent-sessions/${session_id}/candidate-gate`;
      return read(gateAnswer, await api.as(viewer, laboratory.project)(url, { method: 'POST', body }));
    };
    expect(await ask('t1', 100)).toEqual({
      session_id,
      parameter_name: 't1',
      value: 100,
      accepted: true,
      reason: '',
      minimum: 10,
      maximum: 100,
    });
    expect(await ask('t1', 100.00000000000001)).toMatchObject({
      accepted: false,
      reason: "t1 is 100.00000000000001; the session's policy wants at least 10 and at most 100.",
    });
    expect(await ask('t2_echo', 1)).toMatchObject({ accepted: false, minimum: null, maximum: null });
    expect(await desk.state(session_id)).toMatchObject({ state_version: 0 });
  });
});
