import { expect } from 'vitest';
import type { ActionDocument, AgentAction } from '../../shared/domain/agent-sessions/action-model.ts';
import { agentAction } from '../../shared/domain/agent-sessions/action-model.ts';
import { type CandidateCommit, candidateCommit } from '../../shared/domain/agent-sessions/commit-model.ts';
import { type AgentSession, agentSession } from '../../shared/domain/agent-sessions/model.ts';
import type { ExecutionDocument } from '../../shared/domain/executions/model.ts';
import type { TaskResultDocument } from '../../shared/domain/results/model.ts';
import { keyOf, type ProjectId, type TaskId } from '../../shared/kernel/ids.ts';
import { newId } from '../../shared/kernel/new-ids.ts';
import { executionNamed } from '../support/ids.ts';
import { agentPolicy, measuredOutput, storedExecution, storedTask } from '../support/stored-results.ts';
import { type Answer, type Api, type Person, read } from './harness.ts';

export const runT1 = { action_type: 'run_task', task_name: 'CheckT1', qids: ['0'] };

export type AgentDesk = ReturnType<typeof agentDesk>;

/** What an agent of a person does over HTTP, in a laboratory where no worker runs. */
export function agentDesk(api: Api, project: ProjectId, person: Person) {
  const as = api.as(person, project);
  let executions = 100;

  async function open(changes: Record<string, unknown> = {}): Promise<AgentSession> {
    const body = { chip_id: 'CHIP', policy: { ...agentPolicy, ...changes }, model_name: 'scripted' };
    return read(agentSession, await as('/agent-sessions', { method: 'POST', body }), 201);
  }

  const state = async (sessionId: string) => read(agentSession, await as(`/agent-sessions/${sessionId}`));

  /** Posts to a session; key and version are those that an agent would send, unless given. */
  async function post(sessionId: string, path: string, body: Record<string, unknown>): Promise<Answer> {
    const { state_version } = await state(sessionId);
    return as(`/agent-sessions/${sessionId}/${path}`, {
      method: 'POST',
      body: { idempotency_key: newId(), expected_state_version: state_version, ...body },
    });
  }

  const submit = (sessionId: string, body: Record<string, unknown>) => post(sessionId, 'actions', body);

  async function propose(sessionId: string, body: Record<string, unknown> = runT1): Promise<AgentAction> {
    return read(agentAction, await submit(sessionId, body), 201);
  }

  /** An action whose run has ended with this result, as if workers had measured it. */
  async function measured(
    sessionId: string,
    fields: Partial<TaskResultDocument> = {},
  ): Promise<{ action: AgentAction; task_id: TaskId }> {
    const task_name = fields.name ?? 'CheckT1';
    const action = await propose(sessionId, { ...runT1, task_name, qids: [fields.qid ?? '0'] });
    expect(action.decision).toBe('authorized');
    executions += 1;
    const execution_id = `20260102-${executions}`;
    const { db } = api.database;
    await db
      .collection<ExecutionDocument>('executions')
      .insertOne(storedExecution(project, person, { execution_id: executionNamed(execution_id) }));
    const result = storedTask(project, person, {
      execution_id: executionNamed(execution_id),
      output_parameters: { t1: measuredOutput('t1', 51.5) },
      ...fields,
    });
    await db.collection<TaskResultDocument>('task_results').insertOne(result);
    await db.collection<ActionDocument>('agent_actions').updateOne(
      { project_id: project, session_id: sessionId, action_id: action.action_id },
      {
        $set: {
          execution_status: 'completed',
          execution_id: executionNamed(execution_id),
          operation_id: newId(),
        },
      },
    );
    return { action, task_id: result.task_id };
  }

  /** Asks to commit what a measured action found. */
  const commit = (
    sessionId: string,
    { action, task_id }: { action: AgentAction; task_id: TaskId },
    body: Record<string, unknown> = {},
    name = 't1',
  ) => post(sessionId, `actions/${action.action_id}/candidates/${name}/commit`, { task_id, ...body });

  return {
    as,
    open,
    state,
    post,
    submit,
    propose,
    measured,
    commit,
    async committed(sessionId: string, fields: Partial<TaskResultDocument> = {}): Promise<CandidateCommit> {
      return read(candidateCommit, await commit(sessionId, await measured(sessionId, fields)), 201);
    },
    execute: (sessionId: string, actionId: string, body: Record<string, unknown> = {}) =>
      as(`/agent-sessions/${sessionId}/actions/${actionId}/execute`, { method: 'POST', body }),
    /** Changes a session behind the service's back. */
    tamper: (sessionId: string, fields: Record<string, unknown>) =>
      api.database.db
        .collection<{ _id: string }>('agent_sessions')
        .updateOne({ _id: keyOf(project, sessionId) }, { $set: fields }),
  };
}
