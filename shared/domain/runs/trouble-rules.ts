/** Whether a run that is open goes on. Pure. */
import type { PendingActivity, WorkflowCondition } from '../../kernel/engine/workflow-condition.ts';
import type { Waiting } from '../executions/status-rules.ts';

/** Failures in a row after which an activity is people's business: the store or a file system is away. */
const ACTIVITY_FAILURES = 4;
/** The same of a workflow task: a failed one is tried again after 10 s, and a worker that was killed costs one. */
const TASK_FAILURES = 2;
/** Milliseconds that a workflow task may wait for a worker. */
const TAKEN_WITHIN = 60_000;
/** Characters of a failure's message that a sentence quotes. */
const QUOTED = 300;

/** A workflow of a run, as people call it: the run itself, or its stage 0. */
export interface NamedCondition extends WorkflowCondition {
  name: string;
}

/**
 * What keeps a run from going on although nobody wants that; null when it goes on. Of several the first, in the order:
 * a workflow that cannot go on, one that was paused by hand, an activity that fails, one that was paused by hand.
 */
export function troubleOf(workflows: readonly NamedCondition[], now: Date): Waiting | null {
  for (const { name, task } of workflows) {
    if (task && task.failures >= TASK_FAILURES)
      return wait(`${name} to go on: ${story('its workflow task', task)}`, task);
  }
  for (const { name, pausedSince } of workflows) {
    if (pausedSince) {
      return wait(`${name} to be unpaused in the workflow engine`, { since: pausedSince });
    }
  }
  for (const { name, task } of workflows) {
    if (task && !task.taken && now.getTime() - task.since.getTime() > TAKEN_WITHIN) {
      return wait(`a worker that takes ${name} on`, task);
    }
  }
  const activities = workflows.flatMap(({ name, activities: pending }) =>
    pending.map((activity) => ({ ...activity, of: `${activity.name} of ${name}` })),
  );
  const failing = activities.filter(({ failures }) => failures >= ACTIVITY_FAILURES).sort(byFailures);
  const [worst] = failing;
  if (worst) return wait(`${worst.of}${andMore(failing.length)} to succeed: ${story('it', worst)}`, worst);
  const held = activities.filter(({ paused }) => paused);
  const [first] = held;
  return first
    ? wait(`${first.of}${andMore(held.length)} to be unpaused in the workflow engine`, first)
    : null;
}

function wait(what: string, { since }: { since: Date }): Waiting {
  return { for: what, since: since.toISOString() };
}

function story(what: string, { failures, failure }: Pick<PendingActivity, 'failures' | 'failure'>): string {
  const quoted = failure?.replaceAll(/\s+/g, ' ').slice(0, QUOTED);
  return `${what} has failed ${failures} times${quoted ? `, the last time with "${quoted}"` : ''}`;
}

function andMore(count: number): string {
  return count > 1 ? ` and ${count - 1} more` : '';
}

function byFailures(a: PendingActivity, b: PendingActivity): number {
  return b.failures - a.failures;
}
