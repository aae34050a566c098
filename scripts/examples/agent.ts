import { setTimeout as wait } from 'node:timers/promises';
import {
  type AgentAction,
  agentAction,
  agentActionList,
} from '../../shared/domain/agent-sessions/action-model.ts';
import {
  type AgentCandidate,
  agentCandidateList,
  type CandidateCommit,
  candidateCommit,
} from '../../shared/domain/agent-sessions/commit-model.ts';
import {
  type AgentSession,
  agentSession,
  type NewAgentSession,
} from '../../shared/domain/agent-sessions/model.ts';
import { executionDetail } from '../../shared/domain/executions/model.ts';
import { isEndStatus } from '../../shared/domain/executions/status-rules.ts';
import { newId } from '../../shared/kernel/new-ids.ts';
import type { Client } from '../demo/client.ts';
import { table } from '../start/table.ts';

/** Maximum number of actions of the session: the two measurements of the plan, and one spare. */
const BUDGET = 3;
/** Polling interval in milliseconds. */
const LOOK = 250;

const FREQUENCY_TASK = 'CheckOptimalReadoutFrequency';
const AMPLITUDE_TASK = 'CheckOptimalReadoutAmplitude';

export interface AgentPlan {
  /** Address of the API, for printing where to find the results. */
  address: string;
  projectId: string;
  chipId: string;
  /** The qubit whose readout is tuned; it needs start values. */
  qid: string;
  /** Whether the versions of the files are pushed to the remote repository. */
  push: boolean;
  say(line: string): void;
}

/**
 * A scripted agent that tunes the readout of a qubit. It opens a session with a policy and a budget, measures, is rejected
 * twice, commits its findings and applies them to the parameter files. A real agent uses a model instead of the script.
 * @returns the applied commits
 */
export async function runAgent(client: Client, plan: AgentPlan): Promise<CandidateCommit[]> {
  const { projectId, chipId, qid, say } = plan;
  const policy: NewAgentSession['policy'] = {
    qids: [qid],
    allowed_tasks: [FREQUENCY_TASK, AMPLITUDE_TASK],
    allowed_actions: ['run_task', 'complete_session'],
    allowed_overrides: {
      readout_frequency: { minimum: 5, maximum: 12 },
      readout_amplitude: { minimum: 0.01, maximum: 0.3 },
    },
    quality_gates: {},
    allow_reconfigure: false,
    max_actions: BUDGET,
  };
  const session = await client.ask('/agent-sessions', agentSession, {
    method: 'POST',
    projectId,
    body: { chip_id: chipId, policy, skill_name: 'tune-readout', skill_version: '1', model_name: 'scripted' },
  });
  const path = `/agent-sessions/${session.session_id}`;
  const state = () => client.ask(path, agentSession, { projectId });
  say(
    `1. Session ${session.session_id} on ${chipId}, qubit ${qid}: ${BUDGET} actions, two tasks, bounds for two parameters.`,
  );

  /** Sends a change with its own idempotency key and the state version that it is based on. */
  async function send<T>(to: string, schema: Parameters<typeof client.ask<T>>[1], body: object): Promise<T> {
    const { state_version } = await state();
    return client.ask(`${path}/${to}`, schema, {
      method: 'POST',
      projectId,
      body: { idempotency_key: newId(), expected_state_version: state_version, ...body },
    });
  }

  const propose = (task_name: string, parameter_overrides: Record<string, number>, diagnosis: string) =>
    send('actions', agentAction, {
      action_type: 'run_task',
      task_name,
      qids: [qid],
      parameter_overrides,
      diagnosis,
    });

  /** Runs an authorized action. @returns the value found for a name */
  async function measured(action: AgentAction, name: string): Promise<AgentCandidate> {
    if (action.decision !== 'authorized')
      throw new Error(`${action.task_name} was refused: ${action.reason}`);
    const at = `${path}/actions/${action.action_id}`;
    await client.ask(`${at}/execute`, agentAction, { method: 'POST', projectId, body: {} });
    for (;;) {
      const { execution_status: status } = await client.ask(at, agentAction, { projectId });
      if (status !== 'not_started' && status !== 'dispatching' && status !== 'queued' && isEndStatus(status))
        break;
      await wait(LOOK);
    }
    const { items } = await client.ask(`${at}/candidates`, agentCandidateList, { projectId });
    const found = items.find(({ parameter_name }) => parameter_name === name);
    if (!found?.accepted)
      throw new Error(`${action.task_name} brought no ${name}: ${found?.reason ?? 'none was found'}`);
    return found;
  }

  const first = await propose(FREQUENCY_TASK, {}, 'The readout frequency may have drifted.');
  const frequency = await measured(first, 'readout_frequency');
  say(`2. ${candidateText(frequency)} by ${FREQUENCY_TASK}. ${costOf(await state())}`);

  const foreign = await propose('CheckT1', {}, 'Curiosity.');
  say(`3. Refused: ${foreign.reason} ${costOf(await state())}`);
  const loud = await propose(AMPLITUDE_TASK, { readout_amplitude: 0.9 }, 'More power is more signal.');
  say(`4. Refused: ${loud.reason} ${costOf(await state())}`);

  const second = await propose(
    AMPLITUDE_TASK,
    { readout_frequency: frequency.value },
    'At the frequency just found the amplitude may be smaller.',
  );
  const amplitude = await measured(second, 'readout_amplitude');
  say(
    `5. ${candidateText(amplitude)} by ${AMPLITUDE_TASK}, at the frequency just found. ${costOf(await state())}`,
  );

  const commits: CandidateCommit[] = [];
  for (const { action_id, parameter_name, task_id } of [frequency, amplitude]) {
    const commit = await send(`actions/${action_id}/candidates/${parameter_name}/commit`, candidateCommit, {
      task_id,
    });
    const before = commit.before_snapshot?.value ?? 'nothing';
    say(`6. Committed: ${parameter_name} is ${commit.value} in calibration state, it was ${before}.`);
    commits.push(await applied(commit));
  }

  /** Waits until the value has been written to its file. */
  async function applied({ commit_id }: CandidateCommit): Promise<CandidateCommit> {
    let now = await send(`commits/${commit_id}/apply`, candidateCommit, { push_to_remote: plan.push });
    while (now.backend_status !== 'applied' && now.backend_status !== 'failed') {
      await wait(LOOK);
      now = await client.ask(`${path}/commits/${commit_id}`, candidateCommit, { projectId });
    }
    if (now.backend_status === 'failed') throw new Error(`The files have it not: ${now.backend_error}`);
    const version = now.backend_git_commit
      ? `version ${now.backend_git_commit.slice(0, 12)}${plan.push ? ', pushed' : ''}`
      : 'no version, since the configuration is no git repository';
    say(`   Applied: ${now.backend_target_files.join(', ')} has it, read back; ${version}.`);
    return now;
  }

  await send('actions', agentAction, { action_type: 'complete_session' });
  say(`7. Completed. ${costOf(await state())}`);
  say('');
  for (const line of await trail(client, plan, path)) say(line);
  return commits;
}

const candidateText = ({ parameter_name, value, error, unit }: AgentCandidate) =>
  `Found ${parameter_name} ${value.toPrecision(6)} ± ${error.toPrecision(1)} ${unit}`.trim();

const costOf = ({ action_count, policy, state_version }: AgentSession) =>
  `(${action_count} of ${policy.max_actions} actions, version ${state_version})`;

/** The proposals with their outcomes, and where they are stored. */
async function trail(client: Client, { address, projectId }: AgentPlan, path: string): Promise<string[]> {
  const { items } = await client.ask(`${path}/actions`, agentActionList, { projectId });
  const rows = await Promise.all(
    items.map(async (action): Promise<[string, string]> => {
      const what = `${action.state_version_after}. ${action.task_name || action.action_type}`;
      if (action.decision === 'rejected') return [what, `rejected: ${action.reason}`];
      if (action.execution_id === null) return [what, 'authorized'];
      const { status, elapsed_time } = await client.ask(
        `/executions/${action.execution_id}`,
        executionDetail,
        {
          projectId,
        },
      );
      return [what, `authorized, execution ${action.execution_id} ${status} in ${elapsed_time ?? 'no time'}`];
    }),
  );
  return [
    'The audit trail:',
    ...table(rows),
    '',
    `All of it: GET ${address}${path}/actions (X-Project-Id: ${projectId})`,
  ];
}
