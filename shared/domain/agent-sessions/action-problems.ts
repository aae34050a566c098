import { CalibronError } from '../../kernel/errors.ts';
import type { Runs } from '../runs/index.ts';
import type { ActionDocument } from './action-model.ts';
import type { SessionDocument } from './model.ts';
import type { ProposedAction } from './policy-rules.ts';

/** Finds actions that can never run. */
export function createActionProblems(agentTasks: Pick<Runs['agentTasks'], 'problem'>) {
  /** Why an action that the policy allows can never run; null when it can. */
  async function problemOf(session: SessionDocument, what: ProposedAction): Promise<string | null> {
    if (what.action_type !== 'run_task') return null;
    const { project_id, chip_id } = session;
    for (const qid of what.qids) {
      const { task_name, parameter_overrides: input_overrides } = what;
      const problem = await agentTasks.problem(project_id, { chip_id, task_name, qid, input_overrides });
      if (problem !== null) return problem;
    }
    return null;
  }

  /**
   * Why a refused action can never run; null when only the options of the request were wrong, so that it may be requested again.
   */
  async function neverRuns(action: ActionDocument, session: SessionDocument): Promise<string | null> {
    try {
      return await problemOf(session, action);
    } catch (thrown) {
      if (thrown instanceof CalibronError && thrown.status < 500) return thrown.message;
      return null;
    }
  }

  return { problemOf, neverRuns };
}
