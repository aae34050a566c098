import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  agentCandidateList,
  campaignCommit,
  candidateCommit,
} from '../../shared/domain/agent-sessions/commit-model.ts';
import { qubit } from '../../shared/domain/chips/model.ts';
import { provenanceHistory } from '../../shared/domain/provenance/model.ts';
import { keyOf } from '../../shared/kernel/ids.ts';
import { measuredOutput as output } from '../support/stored-results.ts';
import { type AgentDesk, agentDesk, runT1 } from './agents.ts';
import { type Api, expectError, type Person, read, startApi } from './harness.ts';
import { type Laboratory, makeLaboratory } from './laboratory.ts';

let api: Api;
let owner: Person;
let editor: Person;
let viewer: Person;
let laboratory: Laboratory;
/** The editor's. */
let desk: AgentDesk;

beforeAll(async () => {
  api = await startApi({ engine: 'prepared' });
  [owner, editor, viewer] = await Promise.all([api.makePerson(), api.makePerson(), api.makePerson()]);
  laboratory = await makeLaboratory(api, owner, viewer);
  await api.addMember(laboratory.project, editor, 'editor');
  desk = agentDesk(api, laboratory.project, editor);
});
afterAll(() => api.close());

const t1Of = async (qid: string) => read(qubit, await desk.as(`/chips/CHIP/qubits/${qid}`)).data['t1'];

describe('candidates', () => {
  test('are the numbers that an action found, each with the verdict of task and session', async () => {
    const { session_id } = await desk.open();
    const measured = await desk.measured(session_id, {
      output_parameters: { t1: output('t1', 51.5), comment: output('comment', 'fine') },
      quality_metrics: { r2: 0.98, chi2: null },
    });
    const { action, task_id } = measured;
    const url = `/agent-sessions/${session_id}/actions/${action.action_id}/candidates`;
    const { items, total } = read(agentCandidateList, await desk.as(url));
    expect(total).toBe(1);
    expect(items).toEqual([
      {
        session_id,
        action_id: action.action_id,
        execution_id: expect.any(String),
        task_id,
        task_name: 'CheckT1',
        qid: '0',
        source_parameter_name: 't1',
        parameter_name: 't1',
        value: 51.5,
        error: 0.5,
        unit: 'us',
        value_type: 'float',
        quality_metrics: { r2: 0.98 },
        accepted: true,
        reason: '',
        minimum: 10,
        maximum: 100,
      },
    ]);
  });

  test('are there only once the task has completed', async () => {
    const { session_id } = await desk.open();
    const action = await desk.propose(session_id);
    const listOf = (id: string) => desk.as(`/agent-sessions/${session_id}/actions/${id}/candidates`);
    expectError(await listOf(action.action_id), 409, 'not_ready');
    const rejected = await desk.propose(session_id, { ...runT1, qids: ['7'] });
    expectError(await listOf(rejected.action_id), 409, 'not_ready');
    const human = await desk.propose(session_id, { action_type: 'request_human' });
    expectError(await listOf(human.action_id), 400, 'bad_request');
    expectError(await listOf('nonsense'), 404, 'not_found');
  });
});

describe('a commit', () => {
  test('makes a candidate calibration state, with what was before and where it came from', async () => {
    const { session_id } = await desk.open();
    const before = await t1Of('0');
    const measured = await desk.measured(session_id);
    const body = { idempotency_key: 'once', expected_state_version: 1 };
    const done = read(candidateCommit, await desk.commit(session_id, measured, body), 201);
    expect(done).toMatchObject({
      status: 'committed',
      value: 51.5,
      before_snapshot: before ?? null,
      after_snapshot: { value: 51.5, task_id: measured.task_id, agent_commit_id: done.commit_id },
      state_version_before: 1,
      state_version_after: 2,
      committed_by: editor.username,
      backend_status: 'not_started',
      backend_name: 'simulator',
    });
    expect(await t1Of('0')).toMatchObject({ value: 51.5, error: 0.5, task_id: measured.task_id });
    const history = await desk.as('/provenance/history', { query: { parameter_name: 't1', qid: '0' } });
    const [version] = read(provenanceHistory, history).versions;
    expect(version).toMatchObject({ value: 51.5, task_id: measured.task_id, task_name: 'CheckT1' });
    expect(read(candidateCommit, await desk.commit(session_id, measured, body), 201)).toEqual(done);
    const url = `/agent-sessions/${session_id}/commits/${done.commit_id}`;
    expect(read(candidateCommit, await desk.as(url))).toEqual(done);
    expectError(await desk.commit(session_id, measured), 409, 'conflict');
    expect(await desk.state(session_id)).toMatchObject({ state_version: 2, action_count: 1 });
  });

  test('of a later measurement of the session replaces the first, and an undone one can come back', async () => {
    const { session_id } = await desk.open();
    const older = await desk.measured(session_id, { qid: '1' });
    const newer = await desk.measured(session_id, {
      qid: '1',
      output_parameters: { t1: output('t1', 60, '2026-01-02T04:00:00.000Z') },
    });
    expect((await desk.commit(session_id, newer)).status).toBe(201);
    expect((await desk.commit(session_id, older)).status).toBe(201);
    expect(await t1Of('1')).toMatchObject({ value: 51.5 });
  });

  test('that a dead process left is carried out by whoever reads the session next', async () => {
    const { session_id } = await desk.open();
    const done = await desk.committed(session_id, {
      output_parameters: { t1: output('t1', 70, '2026-02-01T00:00:00.000Z') },
    });
    const { db } = api.database;
    const commits = db.collection<{ _id: string; commit_id: string; before: object }>('agent_commits');
    const document = await commits.findOne({ commit_id: done.commit_id });
    // As it was when the version was raised, and nothing else was written.
    await db
      .collection<{ _id: string }>('qubits')
      .updateOne(
        { _id: keyOf(laboratory.project, 'CHIP', '0') },
        { $set: { 'data.t1': done.before_snapshot } },
      );
    await commits.deleteOne({ commit_id: done.commit_id });
    await desk.tamper(session_id, {
      entry: {
        kind: 'commit',
        document: { ...document, status: 'committing', after: null, committed_at: null },
      },
    });
    const url = `/agent-sessions/${session_id}/commits/${done.commit_id}`;
    const mended = read(candidateCommit, await desk.as(url));
    expect(mended).toEqual({ ...done, committed_at: mended.committed_at });
    expect(await t1Of('0')).toMatchObject({ value: 70 });
  });
});

describe('a campaign', () => {
  test('commits several candidates of a qubit with one write', async () => {
    const { session_id } = await desk.open({
      allowed_overrides: { t1: { minimum: 10 }, t2_echo: { minimum: 1 } },
      allowed_tasks: ['CheckT1', 'CheckT2Echo'],
    });
    const at = '2026-03-01T00:00:00.000Z';
    const t1 = await desk.measured(session_id, { output_parameters: { t1: output('t1', 80, at) } });
    const t2 = await desk.measured(session_id, {
      name: 'CheckT2Echo',
      output_parameters: { t2_echo: output('t2_echo', 90, at) },
    });
    const candidates = [
      { action_id: t1.action.action_id, parameter_name: 't1', task_id: t1.task_id },
      { action_id: t2.action.action_id, parameter_name: 't2_echo', task_id: t2.task_id },
    ];
    const done = read(campaignCommit, await desk.post(session_id, 'campaign-commits', { candidates }), 201);
    expect(done).toMatchObject({
      status: 'committed',
      chip_id: 'CHIP',
      qid: '0',
      candidates: [{ parameter_name: 't1' }, { parameter_name: 't2_echo' }],
      before_snapshot: { t1: { value: expect.any(Number) }, t2_echo: null },
      after_snapshot: { t1: { value: 80 }, t2_echo: { value: 90 } },
    });
    const { data } = read(qubit, await desk.as('/chips/CHIP/qubits/0'));
    expect([data['t1']?.value, data['t2_echo']?.value]).toEqual([80, 90]);
    const url = `/agent-sessions/${session_id}/campaign-commits/${done.commit_id}`;
    expect(read(campaignCommit, await desk.as(url))).toEqual(done);
    const asCommit = await desk.as(`/agent-sessions/${session_id}/commits/${done.commit_id}`);
    expectError(asCommit, 404, 'not_found');
  });
});
