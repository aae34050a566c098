/** What a policy allows. Pure. */
import { isWithin } from '../../tasks/bounds.ts';
import type { AgentPolicy, GateAnswer, PolicyBound } from './model.ts';

/** What an agent proposes to do. */
export interface ProposedAction {
  action_type: AgentPolicy['allowed_actions'][number];
  task_name: string;
  qids: readonly string[];
  parameter_overrides: Readonly<Record<string, number>>;
}

type Gate = Pick<GateAnswer, 'accepted' | 'reason' | 'minimum' | 'maximum'>;

/** Whether a value may be set or committed under a name: only names with bounds, and only within them. */
export function gateValue(policy: AgentPolicy, name: string, value: number): Gate {
  const { allowed_overrides } = policy;
  const bound = Object.hasOwn(allowed_overrides, name) ? allowed_overrides[name] : undefined;
  if (!bound) {
    const reason = `The session's policy does not allow to set ${name}.`;
    return { accepted: false, reason, minimum: null, maximum: null };
  }
  const reason = boundProblem(bound, name, value) ?? '';
  return { accepted: reason === '', reason, ...bound };
}

/** Why the quality metrics forbid committing the values of a result; null when they allow it. */
export function qualityProblem(
  policy: AgentPolicy,
  metrics: Readonly<Record<string, number | null>>,
): string | null {
  for (const [name, bound] of Object.entries(policy.quality_gates)) {
    const value = Object.hasOwn(metrics, name) ? metrics[name] : undefined;
    if (typeof value !== 'number')
      return `The result has no quality metric ${name}, which the policy asks for.`;
    const problem = boundProblem(bound, `The quality metric ${name}`, value);
    if (problem) return problem;
  }
  return null;
}

/** The first reason for which a policy rejects an action; null if it allows the action. */
export function rejectionOf(
  policy: AgentPolicy,
  authorized: number,
  { action_type, task_name, qids, parameter_overrides }: ProposedAction,
): string | null {
  // Completing gives up rights, so it needs no permission.
  if (action_type === 'complete_session') return null;
  if (!policy.allowed_actions.includes(action_type))
    return `The session's policy does not allow ${action_type}.`;
  if (authorized >= policy.max_actions) {
    return `The session's budget of ${policy.max_actions} actions is used up; complete the session.`;
  }
  if (action_type !== 'run_task') return null;
  if (!policy.allowed_tasks.includes(task_name)) {
    return `The session's policy does not allow the task ${task_name.slice(0, 100)}.`;
  }
  const outside = qids.find((qid) => !policy.qids.includes(qid));
  if (outside !== undefined) return `The session's policy does not allow the target ${outside.slice(0, 64)}.`;
  for (const [name, value] of Object.entries(parameter_overrides)) {
    const { accepted, reason } = gateValue(policy, name, value);
    if (!accepted) return reason;
  }
  return null;
}

function boundProblem({ minimum, maximum }: PolicyBound, subject: string, value: number): string | null {
  if (!Number.isFinite(value)) return `${subject} must be a finite number.`;
  const bounds = {
    ...(minimum === null ? {} : { minimum }),
    ...(maximum === null ? {} : { maximum }),
  };
  if (isWithin(value, bounds)) return null;
  const limits = [
    ...(minimum === null ? [] : [`at least ${minimum}`]),
    ...(maximum === null ? [] : [`at most ${maximum}`]),
  ];
  return `${subject} is ${value}; the session's policy wants ${limits.join(' and ')}.`;
}
