import { CalibronError, isError } from '../../kernel/errors.ts';
import type { ProjectId } from '../../kernel/ids.ts';
import { isEndStatus } from '../executions/status-rules.ts';
import { RunError } from '../runs/errors.ts';
import type { Runs } from '../runs/index.ts';
import { UpdateGateError } from '../update-gate/errors.ts';
import type { ActionDocument, AgentAction, ExecuteAction } from './action-model.ts';
import { createActionProblems } from './action-problems.ts';
import { AgentSessionError } from './errors.ts';
import type { Ledger } from './ledger.ts';
import type { SessionDocument } from './model.ts';
import { assertActive, assertCreator, type SessionUser } from './session-rules.ts';
import type { AgentStore } from './store.ts';
import { actionOf } from './wire.ts';

interface Dependencies {
  store: AgentStore;
  ledger: Ledger;
  runs: Pick<Runs, 'agentTasks' | 'current'>;
}

/** Milliseconds after which a start without a run counts as failed: longer than any request lives. */
const DISPATCH_LIMIT = 120_000;

/** Whether a refusal is temporary and does not depend on the action. */
function isPassing(refusal: CalibronError): boolean {
  if (refusal instanceof RunError) return refusal.code === 'project_busy';
  if (refusal instanceof UpdateGateError) return refusal.code === 'update_running';
  if (refusal instanceof AgentSessionError) return refusal.code === 'session_closed';
  return isError(refusal, 'conflict');
}

export type Dispatch = ReturnType<typeof createDispatch>;

/** Runs authorized actions, each as a run of one task. Each is run at most once, however often it is requested. */
export function createDispatch({ store, ledger, runs }: Dependencies) {
  const { actions } = store;
  const { agentTasks } = runs;
  const { problemOf, neverRuns } = createActionProblems(agentTasks);

  function orderOf(action: ActionDocument, { created_by_user_id, created_by }: SessionDocument) {
    return {
      projectId: action.project_id,
      user: { _id: created_by_user_id, username: created_by },
      action_id: action.action_id,
    };
  }

  /** The action after an interrupted start: with the run that was started, or as not started. */
  async function mended(action: ActionDocument, session: SessionDocument): Promise<ActionDocument> {
    const begun = await agentTasks.begun(orderOf(action, session));
    if (begun) {
      const { execution_id, flow_run_id } = begun;
      const change = { execution_status: 'queued', execution_id, operation_id: flow_run_id } as const;
      return (await actions.move(action, change)) ?? latest(action);
    }
    const since = action.dispatched_at?.getTime() ?? 0;
    if (Date.now() - since < DISPATCH_LIMIT) return action;
    return (
      (await actions.move(action, { execution_status: 'not_started', dispatched_at: null })) ?? latest(action)
    );
  }

  /** The action as it is stored now. */
  async function latest(action: ActionDocument): Promise<ActionDocument> {
    return (await actions.byKey(action._id)) ?? action;
  }

  /** An action with the current status of its run. */
  async function upToDate(given: ActionDocument, session: SessionDocument): Promise<ActionDocument> {
    const action = given.execution_status === 'dispatching' ? await mended(given, session) : given;
    const { execution_status, execution_id, project_id } = action;
    if (execution_id === null) return action;
    if (execution_status === 'completed' || execution_status === 'failed' || execution_status === 'cancelled')
      return action;
    const { status } = await runs.current(project_id, execution_id);
    if (status === execution_status) return action;
    // An intermediate status is read each time; only an end is stored.
    if (!isEndStatus(status)) return { ...action, execution_status: status };
    return (await actions.move(action, { execution_status: status })) ?? latest(action);
  }

  /** Starts the run of a claimed action. */
  async function start(
    action: ActionDocument,
    session: SessionDocument,
    options: ExecuteAction,
  ): Promise<ActionDocument> {
    try {
      const run = await agentTasks.start(
        {
          ...orderOf(action, session),
          priority: session.policy.priority,
          // The session may have been ended since it was read.
          assertAllowed: async () => assertActive(await ledger.load(action.project_id, action.session_id)),
        },
        {
          session_id: action.session_id,
          chip_id: session.chip_id,
          task_name: action.task_name,
          qid: action.qids[0] ?? '',
          input_overrides: action.parameter_overrides,
          source_execution_id: options.source_execution_id,
          reconfigure: options.reconfigure,
        },
      );
      const { execution_id, flow_run_id } = run;
      const change = { execution_status: 'queued', execution_id, operation_id: flow_run_id } as const;
      return (await actions.move(action, change)) ?? (await latest(action));
    } catch (thrown) {
      // Only a refusal proves that nothing was started. After any other error the next read of the action finds out.
      if (thrown instanceof CalibronError && thrown.status < 500) {
        const reason = isPassing(thrown) ? null : await neverRuns(action, session);
        await actions.move(
          action,
          reason === null
            ? { execution_status: 'not_started', dispatched_at: null }
            : { execution_status: 'failed', reason },
        );
      }
      throw thrown;
    }
  }

  return {
    upToDate,
    problemOf,

    /**
     * Runs an action; for one that was started before, returns its current state.
     * @throws not_found, forbidden, not_ready, bad_request, session_closed, project_busy
     */
    async execute(
      [projectId, sessionId, actionId]: [projectId: ProjectId, sessionId: string, actionId: string],
      user: SessionUser,
      options: ExecuteAction,
    ): Promise<AgentAction> {
      const session = await ledger.load(projectId, sessionId);
      assertCreator(session, user);
      const found = await actions.get(projectId, sessionId, actionId);
      if (!found) throw new CalibronError('not_found', 'There is no such action in this session.');
      if (found.decision !== 'authorized') {
        throw new AgentSessionError('not_ready', `This action was rejected: ${found.reason}`);
      }
      if (found.action_type !== 'run_task') {
        throw new CalibronError('bad_request', `There is nothing to run for ${found.action_type}.`);
      }
      const action = await upToDate(found, session);
      if (action.execution_status !== 'not_started') return actionOf(action);
      if (action.qids.length !== 1) {
        throw new CalibronError('bad_request', 'Only an action on exactly one target can be run.');
      }
      assertActive(session);
      if (options.reconfigure && !session.policy.allow_reconfigure) {
        throw new AgentSessionError('not_ready', "The session's policy does not allow to reconfigure.");
      }
      const claimed = await actions.move(action, {
        execution_status: 'dispatching',
        dispatched_at: new Date(),
      });
      return actionOf(claimed ? await start(claimed, session, options) : await latest(action));
    },
  };
}
