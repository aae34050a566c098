import type { AiReviewDocument } from '../../shared/domain/ai-reviews/model.ts';
import type { ExecutionDocument, ExecutionRequestDocument } from '../../shared/domain/executions/model.ts';
import { menuBody } from '../../shared/domain/menus/model.ts';
import type { TaskResultDocument } from '../../shared/domain/results/model.ts';
import { type ExecutionId, keyOf } from '../../shared/kernel/ids.ts';
import { executionNamed } from '../support/ids.ts';
import { agentPolicy, measuredOutput } from '../support/stored-results.ts';
import { runT1 } from './agents.ts';
import { type Creation, type Place, post } from './creations.ts';
import { code, storedExecution, storedTask } from './laboratory.ts';

const menu = menuBody.parse({ name: 'menu', schedule: '0', tasks: ['CheckT1'], chip_id: 'CHIP' });
const flowNamed = (name: string) => name.replaceAll('-', '_');
const flow = (name: string) => ({
  name: flowNamed(name),
  code: code.replaceAll('rabi', flowNamed(name)),
  chip_id: 'CHIP',
});
const finish = ({ laboratory }: Place) => laboratory.free().catch(() => undefined);

/** A stored result of the laboratory, of now. */
async function addResult(at: Place, fields: Partial<TaskResultDocument>): Promise<TaskResultDocument> {
  const result = storedTask(at.laboratory.project, at.owner, {
    start_at: new Date(),
    end_at: new Date(),
    ...fields,
  });
  await at.api.database.db.collection<TaskResultDocument>('task_results').insertOne(result);
  return result;
}

/** A session in which T1 of a qubit was measured. */
async function withCandidate({ desk }: Place) {
  const { session_id } = await desk.open();
  const output = measuredOutput('t1', 51.5, new Date().toISOString());
  const measured = await desk.measured(session_id, { qid: '1', output_parameters: { t1: output } });
  const { state_version } = await desk.state(session_id);
  return { ...measured, session_id, state_version };
}

/** An execution that ended and failed on a target. */
async function addExecution(at: Place, execution_id: ExecutionId): Promise<void> {
  const { project } = at.laboratory;
  const { db } = at.api.database;
  const document = storedExecution(project, at.owner, { execution_id, status: 'failed' });
  await db.collection<ExecutionDocument>('executions').insertOne(document);
  await addResult(at, { execution_id, status: 'failed' });
  const saved = await db.collection<{ hash: string }>('flows').findOne({ project_id: project, name: 'rabi' });
  await db.collection<ExecutionRequestDocument>('execution_requests').insertOne({
    _id: keyOf(project, execution_id),
    project_id: project,
    execution_id,
    flow: { name: 'rabi', hash: saved?.hash ?? '', function_name: 'rabi' },
    parameters: {},
    default_run_parameters: {},
    task: null,
    created_at: new Date(),
  });
}

/** What belongs to chips and runs: start values, flows, schedules, runs, agents and reviews. */
export const creationsOfRuns: readonly Creation[] = [
  {
    route: 'POST /chips',
    collection: 'chips',
    prepare: (at, chip_id) => () => post(at, '/chips', { chip_id, size: 4 }),
  },
  {
    route: 'POST /cryostats',
    collection: 'cryostats',
    prepare: (at, cryo_id) => () => post(at, '/cryostats', { cryo_id }),
  },
  {
    route: 'POST /cooldowns',
    collection: 'cooldowns',
    async prepare(at, cooldown_id) {
      const cryo_id = `of-${cooldown_id}`;
      await post(at, '/cryostats', { cryo_id });
      return () => post(at, '/cooldowns', { cooldown_id, cryo_id, started_at: '2026-01-01T00:00:00Z' });
    },
  },
  {
    route: 'POST /cooldowns/{cooldown_id}/wiring-checkpoint',
    collection: 'wiring_events',
    prepare: (at) => () => post(at, '/cooldowns/CD/wiring-checkpoint', { comment: 'as it is' }),
  },
  {
    route: 'PATCH /calibrations/parameters',
    collection: 'manual_edits',
    prepare: (at) => () =>
      at.laboratory.as('/calibrations/parameters', {
        method: 'PATCH',
        body: { chip_id: 'CHIP', qid: '2', parameters: { t1: 40 } },
      }),
  },
  {
    route: 'POST /calibrations/seed-import',
    collection: 'provenance_entities',
    prepare: (at) => () =>
      post(at, '/calibrations/seed-import', {
        chip_id: 'CHIP',
        manual_data: { readout_amplitude: { Q06: 0.1 } },
      }),
  },
  {
    route: 'POST /flows',
    named: true,
    collection: 'flows',
    prepare: (at, name) => () => post(at, '/flows', flow(name)),
  },
  {
    route: 'POST /flows/{name}/schedule',
    collection: 'schedules',
    async prepare(at, name) {
      await post(at, '/flows', flow(name));
      return () => post(at, `/flows/${flowNamed(name)}/schedule`, { cron: '0 3 * * *' });
    },
  },
  {
    route: 'POST /flows/{name}/execute',
    collection: 'execution_requests',
    finish,
    prepare: (at) => () => at.laboratory.execute({}),
  },
  {
    route: 'POST /flows/{name}/execute',
    what: 'with a key',
    collection: 'idempotency_keys',
    finish,
    prepare: (at, name) => () => at.laboratory.execute({}, { 'idempotency-key': name }),
  },
  {
    route: 'POST /tasks/{task_name}/execute',
    collection: 'execution_requests',
    finish,
    prepare: (at) => () => post(at, '/tasks/CheckT1/execute', { chip_id: 'CHIP', qid: '0' }),
  },
  {
    route: 'POST /executions/{execution_id}/re-execute',
    collection: 'execution_requests',
    finish,
    async prepare(at, name) {
      await addExecution(at, executionNamed(name));
      return () => post(at, `/executions/${name}/re-execute`, { flow_name: 'rabi' });
    },
  },
  {
    route: 'POST /executions/{execution_id}/retry',
    collection: 'execution_requests',
    finish,
    async prepare(at, name) {
      await addExecution(at, executionNamed(name));
      return () => post(at, `/executions/${name}/retry`);
    },
  },
  {
    route: 'POST /task-results/{task_id}/re-execute',
    collection: 'execution_requests',
    finish,
    async prepare(at) {
      const { task_id } = await addResult(at, { qid: '3' });
      return () => post(at, `/task-results/${task_id}/re-execute`);
    },
  },
  {
    route: 'POST /task-results/ai-review/bulk',
    collection: 'ai_review_runs',
    async prepare(at) {
      const reviews = at.api.database.db.collection<AiReviewDocument>('ai_reviews');
      await reviews.updateMany({}, { $set: { status: 'completed' } });
      const { task_id } = await addResult(at, { qid: '4' });
      const body = { chip_id: 'CHIP', task: 'CheckT1', entity_type: 'qubit', task_ids: [task_id] };
      return () => post(at, '/task-results/ai-review/bulk', body);
    },
  },
  {
    route: 'POST /agent-sessions',
    collection: 'agent_sessions',
    prepare: (at) => () =>
      post(at, '/agent-sessions', { chip_id: 'CHIP', policy: agentPolicy, model_name: 'scripted' }),
  },
  {
    route: 'POST /agent-sessions/{session_id}/actions',
    collection: 'agent_actions',
    command: 'update',
    async prepare(at, idempotency_key) {
      const { session_id, state_version: expected_state_version } = await at.desk.open();
      const body = { ...runT1, idempotency_key, expected_state_version };
      return () => post(at, `/agent-sessions/${session_id}/actions`, body);
    },
  },
  {
    route: 'POST /agent-sessions/{session_id}/actions/{action_id}/execute',
    collection: 'execution_requests',
    finish,
    async prepare(at) {
      const { session_id } = await at.desk.open();
      const { action_id } = await at.desk.propose(session_id);
      return () => post(at, `/agent-sessions/${session_id}/actions/${action_id}/execute`);
    },
  },
  {
    route: 'POST /agent-sessions/{session_id}/actions/{action_id}/candidates/{parameter_name}/commit',
    collection: 'agent_commits',
    command: 'findAndModify',
    async prepare(at, idempotency_key) {
      const { action, task_id, session_id, state_version: expected_state_version } = await withCandidate(at);
      const body = { idempotency_key, expected_state_version, task_id };
      const url = `/agent-sessions/${session_id}/actions/${action.action_id}/candidates/t1/commit`;
      return () => post(at, url, body);
    },
  },
  {
    route: 'POST /agent-sessions/{session_id}/campaign-commits',
    collection: 'agent_commits',
    command: 'findAndModify',
    async prepare(at, idempotency_key) {
      const { action, task_id, session_id, state_version: expected_state_version } = await withCandidate(at);
      const candidates = [{ action_id: action.action_id, parameter_name: 't1', task_id }];
      const body = { idempotency_key, expected_state_version, candidates };
      return () => post(at, `/agent-sessions/${session_id}/campaign-commits`, body);
    },
  },
  {
    route: 'POST /api/menu',
    collection: 'menus',
    prepare: (at, name) => () => post(at, '/api/menu', { ...menu, name }),
  },
  {
    route: 'POST /api/calibration',
    collection: 'execution_requests',
    finish,
    prepare: (at) => () => post(at, '/api/calibration', menu),
  },
  {
    route: 'POST /api/calibration/schedule',
    collection: 'schedules',
    async prepare(at, name) {
      await post(at, '/api/menu', { ...menu, name });
      return () =>
        post(at, '/api/calibration/schedule', { menu_name: name, scheduled: '2098-04-01T00:00:00Z' });
    },
  },
];
