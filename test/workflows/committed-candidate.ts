import type { ActionDocument } from '../../shared/domain/agent-sessions/action-model.ts';
import type { CandidateCommit } from '../../shared/domain/agent-sessions/commit-model.ts';
import { newAgentSession } from '../../shared/domain/agent-sessions/model.ts';
import type { SessionUser } from '../../shared/domain/agent-sessions/session-rules.ts';
import type { ExecutionDocument } from '../../shared/domain/executions/model.ts';
import type { TaskResultDocument } from '../../shared/domain/results/model.ts';
import type { ProjectId } from '../../shared/kernel/ids.ts';
import { newId } from '../../shared/kernel/new-ids.ts';
import { executionNamed, userNamed } from '../support/ids.ts';
import type { Laboratory } from '../support/laboratory.ts';
import { agentPolicy, measuredOutput, storedExecution, storedTask } from '../support/stored-results.ts';

/** A t1 of 51.5 us of a qubit of the chip CHIP that an agent measured and committed. */
export async function committedT1(
  lab: Laboratory,
  projectId: ProjectId,
  user: SessionUser,
  qid: string,
): Promise<CandidateCommit> {
  const person = { id: userNamed(user.user_id), username: user.username, password: '', token: '' };
  const { agentSessions } = lab.areas;
  const { session_id } = await agentSessions.sessions.create(
    projectId,
    user,
    newAgentSession.parse({ chip_id: 'CHIP', policy: agentPolicy }),
  );
  const action = await agentSessions.actions.submit(projectId, user, session_id, {
    idempotency_key: 'measure',
    expected_state_version: 0,
    action_type: 'run_task',
    task_name: 'CheckT1',
    qids: [qid],
    parameter_overrides: {},
    diagnosis: '',
  });
  const { db } = lab.database;
  const execution_id = `20260102-${newId()}`;
  const result = storedTask(projectId, person, {
    execution_id: executionNamed(execution_id),
    qid,
    output_parameters: { t1: measuredOutput('t1', 51.5, new Date().toISOString()) },
  });
  await db
    .collection<ExecutionDocument>('executions')
    .insertOne(storedExecution(projectId, person, { execution_id: executionNamed(execution_id) }));
  await db.collection<TaskResultDocument>('task_results').insertOne(result);
  await db
    .collection<ActionDocument>('agent_actions')
    .updateOne(
      { project_id: projectId, session_id, action_id: action.action_id },
      { $set: { execution_status: 'completed', execution_id: executionNamed(execution_id) } },
    );
  return agentSessions.commits.commit([projectId, session_id, action.action_id], user, 't1', {
    idempotency_key: 'commit',
    expected_state_version: 1,
    task_id: result.task_id,
  });
}
