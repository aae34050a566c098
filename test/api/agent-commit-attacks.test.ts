import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { agentAction } from '../../shared/domain/agent-sessions/action-model.ts';
import type { AiReviewState, TaskResultDocument } from '../../shared/domain/results/model.ts';
import { measuredOutput as output } from '../support/stored-results.ts';
import {
  type Attack,
  type AttackWorld,
  invalid,
  openAttackWorld,
  outcome,
  type Scene,
} from './agent-attacks.ts';
import { type AgentDesk, agentDesk, runT1 } from './agents.ts';
import { read } from './harness.ts';

/** A refusal that waits for a person. */
const heldBack: AiReviewState = {
  status: 'completed',
  requested_at: '2026-01-02T03:04:05.000Z',
  requested_by: 'ada',
  review_run_id: 'run',
  trigger_type: 'manual',
  model_provider: 'rules',
  model_name: 'rules',
  completed_at: '2026-01-02T03:04:06.000Z',
  error: '',
  decision: 'FAIL',
  held_back: true,
};

let world: AttackWorld;
let desk: AgentDesk;
let stranger: AgentDesk;
let asOwner: AgentDesk;
beforeAll(async () => {
  world = await openAttackWorld();
  ({ desk, stranger, asOwner } = world);
});
afterAll(() => world.api.close());

const commitUrl = ({ session_id, measured }: Scene, name = 't1') =>
  `/agent-sessions/${session_id}/actions/${measured.action.action_id}/candidates/${name}/commit`;
const executions: Attack[] = [
  {
    name: 'a run of a rejected action',
    with: async ({ session_id }) => {
      const { action_id } = read(agentAction, await desk.submit(session_id, { ...runT1, qids: ['2'] }), 201);
      return desk.execute(session_id, action_id);
    },
    gets: [409, 'not_ready'],
  },
  {
    name: 'a run with Configure, which the policy does not allow',
    with: ({ session_id, action_id }) => desk.execute(session_id, action_id, { reconfigure: true }),
    gets: [409, 'not_ready'],
  },
  {
    name: 'a run that writes its values by itself',
    with: ({ session_id, action_id }) => desk.execute(session_id, action_id, { update_params: true }),
    gets: invalid,
  },
  {
    name: 'a run in a session that was completed meanwhile',
    with: async ({ session_id, action_id }) => {
      await desk.propose(session_id, { action_type: 'complete_session' });
      return desk.execute(session_id, action_id);
    },
    gets: [409, 'session_closed'],
  },
  {
    name: 'a run by somebody else',
    with: ({ session_id, action_id }) => stranger.execute(session_id, action_id),
    gets: [403, 'forbidden'],
  },
  {
    name: 'a run of an action of another session',
    with: async ({ action_id }) => desk.execute((await desk.open()).session_id, action_id),
    gets: [404, 'not_found'],
  },
  {
    name: 'a run asked for in another project',
    with: async ({ session_id, action_id }) => {
      const elsewhere = agentDesk(world.api, await world.api.makeProject(world.editor), world.editor);
      return elsewhere.execute(session_id, action_id);
    },
    gets: [404, 'not_found'],
  },
];

const commits: Attack[] = [
  {
    name: 'a candidate of another action',
    with: ({ session_id, action_id, measured }) =>
      desk.post(session_id, `actions/${action_id}/candidates/t1/commit`, { task_id: measured.task_id }),
    gets: [409, 'not_ready'],
  },
  {
    name: 'a task of another session',
    with: async ({ session_id, measured }) => {
      const other = await desk.measured((await desk.open()).session_id);
      return desk.commit(session_id, measured, { task_id: other.task_id });
    },
    gets: [409, 'conflict'],
  },
  {
    name: 'a parameter that the task did not find',
    with: ({ session_id, measured }) => desk.commit(session_id, measured, {}, 'readout_amplitude'),
    gets: [409, 'conflict'],
  },
  {
    name: 'a value of its own beside the candidate',
    with: ({ session_id, measured }) => desk.commit(session_id, measured, { task_id: 'x', value: 99 }),
    gets: [409, 'conflict'],
  },
  ...(
    [
      [
        'a value one ulp above its bound',
        { output_parameters: { t1: output('t1', 100.00000000000001) } },
        'candidate_refused',
      ],
      [
        'a value that is infinite',
        { output_parameters: { t1: output('t1', Number.POSITIVE_INFINITY) } },
        'conflict',
      ],
      ['a value that is not a number', { output_parameters: { t1: output('t1', Number.NaN) } }, 'conflict'],
      ['a value that is a text', { output_parameters: { t1: output('t1', '51.5') } }, 'conflict'],
      [
        'a fit below the quality that the policy asks for',
        { quality_metrics: { r2: 0.89 } },
        'candidate_refused',
      ],
      ['a fit below the threshold of its task', { quality_metrics: { r2: 0.1 } }, 'candidate_refused'],
      ['a result without its quality', { quality_metrics: {} }, 'candidate_refused'],
      ['a result that somebody excluded', { excluded: true }, 'candidate_refused'],
      ['a result that a review holds back', { ai_review: heldBack }, 'candidate_refused'],
      ['a result that has failed', { status: 'failed' }, 'not_ready'],
      ['a result that still runs', { status: 'running' }, 'not_ready'],
      ['a result of another chip', { chip_id: 'OTHER' }, 'conflict'],
    ] as const
  ).map(
    ([name, fields, code]): Attack => ({
      name,
      with: async ({ session_id }) => desk.commit(session_id, await desk.measured(session_id, fields)),
      gets: [409, code],
    }),
  ),
  {
    name: 'a candidate of a session that has expired',
    with: async ({ session_id, measured }) => {
      await desk.tamper(session_id, { expires_at: new Date(Date.now() - 1) });
      return desk.commit(session_id, measured);
    },
    gets: [409, 'session_closed'],
  },
  {
    name: 'a candidate by somebody else',
    with: ({ session_id, measured }) => stranger.commit(session_id, measured),
    gets: [403, 'forbidden'],
  },
  {
    name: 'a commit in another project',
    with: async (given) => {
      const elsewhere = world.api.as(world.editor, await world.api.makeProject(world.editor));
      const body = { idempotency_key: 'k', expected_state_version: 2, task_id: given.measured.task_id };
      return elsewhere(commitUrl(given), { method: 'POST', body });
    },
    gets: [404, 'not_found'],
  },
  {
    name: 'a commit on a state that is over',
    with: ({ session_id, measured }) => desk.commit(session_id, measured, { expected_state_version: 1 }),
    gets: [409, 'stale_version'],
  },
  {
    name: 'a campaign that names a parameter twice',
    with: ({ session_id, measured }) => {
      const each = { action_id: measured.action.action_id, parameter_name: 't1', task_id: measured.task_id };
      return desk.post(session_id, 'campaign-commits', { candidates: [each, each] });
    },
    gets: [409, 'conflict'],
  },
  {
    name: 'a campaign of which one candidate is refused',
    with: async ({ session_id, measured }) => {
      const bad = await desk.measured(session_id, {
        name: 'CheckRabi',
        output_parameters: { rabi_amplitude: output('rabi_amplitude', 0.4) },
      });
      const candidates = [
        { action_id: measured.action.action_id, parameter_name: 't1', task_id: measured.task_id },
        { action_id: bad.action.action_id, parameter_name: 'rabi_amplitude', task_id: bad.task_id },
      ];
      return desk.post(session_id, 'campaign-commits', { candidates });
    },
    gets: [409, 'candidate_refused'],
  },
];

describe('neither calibration state nor the simulator is reached by a run or a commit:', () => {
  for (const attack of [...executions, ...commits]) {
    test(attack.name, async () => {
      const given = await world.scene();
      const before = await world.reachable();
      expect(outcome(await attack.with(given))).toEqual(attack.gets);
      expect(await world.reachable()).toEqual(before);
    });
  }
});

test('of two concurrent commits, one is carried out', async () => {
  const given = await world.scene();
  const body = { expected_state_version: 2, task_id: given.measured.task_id };
  const send = (idempotency_key: string) =>
    desk.as(commitUrl(given), { method: 'POST', body: { ...body, idempotency_key } });
  const answers = await Promise.all(['a', 'b', 'c'].map(send));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(2);
});

test('a value that was measured later is not overwritten, whatever measured it', async () => {
  const given = await world.scene();
  await asOwner.as('/calibrations/parameters', {
    method: 'PATCH',
    body: { chip_id: 'CHIP', qid: '0', parameters: { t1: 33 } },
  });
  const before = await world.reachable();
  expect(outcome(await desk.commit(given.session_id, given.measured))).toEqual([409, 'value_changed']);
  expect(await world.reachable()).toEqual(before);
});

test('a value that changes between the decision and the write stays, and the commit says so', async () => {
  const { session_id } = await desk.open();
  const measured = await desk.measured(session_id, {
    qid: '1',
    output_parameters: { t1: output('t1', 44, '2030-01-01T00:00:00.000Z') },
  });
  const done = await desk.commit(session_id, measured);
  expect(done.status).toBe(201);
  const { db } = world.api.database;
  const commits = db.collection<{ _id: string; session_id: string }>('agent_commits');
  const document = await commits.findOne({ session_id });
  await commits.deleteOne({ session_id });
  await asOwner.as('/calibrations/parameters', {
    method: 'PATCH',
    body: { chip_id: 'CHIP', qid: '1', parameters: { t1: 34 } },
  });
  // As if the process had died when the version was raised.
  await desk.tamper(session_id, {
    entry: { kind: 'commit', document: { ...document, status: 'committing' } },
  });
  const before = await world.reachable();
  const { commit_id } = z.object({ commit_id: z.string() }).parse(done.body);
  const answer = await desk.as(`/agent-sessions/${session_id}/commits/${commit_id}`);
  expect(answer.body).toMatchObject({ status: 'failed', after_snapshot: null, committed_at: null });
  expect(await world.reachable()).toEqual(before);
  await world.api.database.db
    .collection<TaskResultDocument>('task_results')
    .deleteMany({ project_id: world.laboratory.project, task_id: measured.task_id });
});
