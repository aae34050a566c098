import { CalibronError } from '../../kernel/errors.ts';
import type { ProjectId, TaskId } from '../../kernel/ids.ts';
import { findTask } from '../../tasks/catalog.ts';
import type { KnownTasks } from '../../tasks/known-tasks.ts';
import type { TaskResultStore } from '../results/index.ts';
import type { TaskResultDocument } from '../results/model.ts';
import type { Actions } from './actions.ts';
import { candidatesOf } from './candidate-rules.ts';
import type { AgentCandidate } from './commit-model.ts';
import type { Dispatch } from './dispatch.ts';
import { AgentSessionError } from './errors.ts';
import type { Ledger } from './ledger.ts';
import type { SessionDocument } from './model.ts';

interface Dependencies {
  ledger: Ledger;
  actions: Pick<Actions, 'find'>;
  dispatch: Pick<Dispatch, 'upToDate'>;
  results: Pick<TaskResultStore, 'get' | 'newestIn'>;
  /** The tasks that a project can run. */
  tasksOf(projectId: ProjectId): Promise<KnownTasks>;
}

export type Candidates = ReturnType<typeof createCandidates>;

/** The values found by actions, read from their task results each time. */
export function createCandidates({ ledger, actions, dispatch, results, tasksOf }: Dependencies) {
  /** The completed result of an action. @throws not_found, bad_request, not_ready */
  async function resultOf(session: SessionDocument, actionId: string): Promise<TaskResultDocument> {
    const { project_id, session_id, chip_id } = session;
    const found = await actions.find(project_id, session_id, actionId);
    const [qid] = found.qids;
    if (found.action_type !== 'run_task' || qid === undefined || found.qids.length !== 1) {
      throw new CalibronError('bad_request', 'Only an action that ran a task on one target has candidates.');
    }
    const action = await dispatch.upToDate(found, session);
    if (action.decision !== 'authorized') {
      throw new AgentSessionError('not_ready', `This action was rejected: ${action.reason}`);
    }
    if (action.execution_id === null) {
      throw new AgentSessionError('not_ready', 'This action was not run yet; execute it first.');
    }
    const name = findTask(action.task_name)?.name ?? action.task_name;
    const newest = await results.newestIn(project_id, action.execution_id, { name, qid });
    const result = newest && (await results.get(project_id, newest.task_id));
    if (!result)
      throw new AgentSessionError('not_ready', 'The task of this action has no result yet; ask again.');
    if (result.status !== 'completed') {
      const state = `The task of this action is ${result.status}`;
      throw new AgentSessionError('not_ready', `${state}: only a completed one has candidates.`);
    }
    if (result.chip_id !== chip_id) {
      throw new CalibronError('conflict', 'The result is for another chip than that of the session.');
    }
    return result;
  }

  /** Candidates of an action of a loaded session, with the result they come from. */
  async function read(session: SessionDocument, actionId: string) {
    const result = await resultOf(session, actionId);
    const of = { session_id: session.session_id, action_id: actionId, policy: session.policy };
    const tasks = await tasksOf(session.project_id);
    return { result, candidates: candidatesOf(of, result, tasks.find(result.name)) };
  }

  return {
    /** Works for sessions in any state. @throws not_found, bad_request, not_ready */
    async list(projectId: ProjectId, sessionId: string, actionId: string) {
      const session = await ledger.load(projectId, sessionId);
      const { candidates } = await read(session, actionId);
      return { items: candidates, total: candidates.length };
    },

    /**
     * The candidate of an action with a given name.
     * @throws not_found, bad_request, not_ready; conflict when it belongs to another task; candidate_refused
     */
    async accepted(
      session: SessionDocument,
      { action_id, parameter_name, task_id }: { action_id: string; parameter_name: string; task_id: TaskId },
    ): Promise<{ candidate: AgentCandidate; result: TaskResultDocument }> {
      const { candidates, result } = await read(session, action_id);
      const matching = candidates.filter(
        (each) => each.parameter_name === parameter_name && each.task_id === task_id,
      );
      const [candidate] = matching;
      if (!candidate || matching.length > 1) {
        throw new CalibronError(
          'conflict',
          `The task of this action has no candidate ${parameter_name.slice(0, 100)} of that task_id; list its candidates.`,
        );
      }
      if (!candidate.accepted) throw new AgentSessionError('candidate_refused', candidate.reason);
      return { candidate, result };
    },
  };
}
