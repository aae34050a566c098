/** Detects whether an open run can continue. Pure. */
import { diskProblemOf } from '../../kernel/disk-errors.ts';
import { failureTypes } from '../../kernel/engine/failure-types.ts';
import type { WorkflowPollers } from '../../kernel/engine/pollers.ts';
import type {
  PendingActivity,
  PendingWork,
  WorkflowCondition,
} from '../../kernel/engine/workflow-condition.ts';
import type { Waiting } from '../executions/status-rules.ts';

/** Consecutive failures after which an activity needs a person: the store or a file system is unavailable. */
const ACTIVITY_FAILURES = 4;
/** The same limit for a workflow task. A failed one is retried after 10 s, and a killed worker costs one attempt. */
const TASK_FAILURES = 2;
/** How the engine's library names code that does not match the history of a run. A retry fails again. */
const MISMATCH = /\[TMPRL1100\]|nondeterminis/i;
/** Maximum time in milliseconds that a workflow task may wait for a worker. */
const TAKEN_WITHIN = 60_000;
/** Maximum number of characters of a failure's message that are quoted. */
const QUOTED = 300;

/** A workflow of a run with its name for messages, such as `the run` or `stage 0`. */
export interface NamedCondition extends WorkflowCondition {
  name: string;
}

/**
 * What keeps a run from continuing without anyone's intent; null when it continues. If there are several, the first in this
 * order: a disk that takes no more data, a task that the release does not have, a workflow that cannot continue, a workflow paused by hand, an activity that fails, an activity paused by hand.
 * @param shortage why no new measurement may start
 * @param workers the workers of runs, for a workflow task that is late
 */
export function troubleOf(
  workflows: readonly NamedCondition[],
  now: Date,
  shortage: string | null = null,
  workers: WorkflowPollers | null = null,
): Waiting | null {
  const withoutSpace = spaceTrouble(workflows, shortage);
  if (withoutSpace) return withoutSpace;
  const withoutTask = taskTrouble(workflows);
  if (withoutTask) return withoutTask;
  for (const { name, task } of workflows) {
    if (task && isFailing(task))
      return wait(`${name} to continue: ${story('its workflow task', task)}`, task);
  }
  for (const { name, pausedSince } of workflows) {
    if (pausedSince) {
      return wait(`${name} to be unpaused in the workflow engine`, { since: pausedSince });
    }
  }
  for (const { name, task } of workflows) {
    if (task && isLate(task, now)) {
      const why = workers && whyNotTaken(workers);
      return wait(`a worker of the service to carry on ${name}${why ? `: ${why}` : ''}`, task);
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

/** What waits for a release that has a planned task. */
function taskTrouble(workflows: readonly NamedCondition[]): Waiting | null {
  const waiting = workflows
    .flatMap(({ activities }) => activities)
    .find(({ failures, failureType }) => failures > 0 && failureType === failureTypes.missingTask);
  return waiting ? { ...wait(waiting.failure ?? '', waiting), kind: 'release' } : null;
}

/**
 * What waits for space. A full disk may also be the reason that workflow tasks fail, because the engine or the worker cannot
 * write; then the disk is named rather than its effect.
 * @param shortage as the process that looks knows it
 */
function spaceTrouble(workflows: readonly NamedCondition[], shortage: string | null): Waiting | null {
  for (const { task } of workflows) {
    const failure = task && task.failures > 0 ? task.failure : null;
    if (task && failure !== null && (shortage !== null || diskProblemOf(failure) !== null))
      return spaceWait(shortage ?? failure, task);
  }
  const activities = workflows.flatMap((workflow) => workflow.activities);
  const short = activities.find(
    ({ failures, failure, failureType }) =>
      failures > 0 &&
      failure !== null &&
      (failureType === failureTypes.outOfSpace || diskProblemOf(failure) !== null),
  );
  return short ? spaceWait(short.failure ?? '', short) : null;
}

function spaceWait(shortage: string, { since }: { since: Date }): Waiting {
  const quoted = shortage.replaceAll(/\s+/g, ' ').slice(0, QUOTED);
  return { for: `space: ${quoted}`, since: since.toISOString(), kind: 'disk' };
}

/** Whether no worker has taken a workflow task for so long that something is wrong with the workers. */
export function isLate({ taken, since }: { taken: boolean; since: Date }, now: Date): boolean {
  return !taken && now.getTime() - since.getTime() > TAKEN_WITHIN;
}

/** Why none of the workers takes new work, with what to do; null if some of them should. */
function whyNotTaken({ current, versions }: WorkflowPollers): string | null {
  if (versions.length === 0) return 'none is there, so start one';
  if (versions.includes(current)) return null;
  const [other] = versions.filter((version) => version !== null);
  const there = versions.map((version) => (version === null ? 'without a version' : `of ${version}`));
  const missing =
    current === null ? 'no version is promoted' : `none of the current version ${current} is there`;
  const start = current === null ? 'start workers without a version' : 'start its workers';
  const promote = other === undefined ? '' : `, or promote another version with npm run promote -- ${other}`;
  return `${missing}, only workers ${there.join(' and ')}; ${start}${promote}`;
}

function isFailing({ failures, failure }: PendingWork): boolean {
  return failures >= (failure !== null && MISMATCH.test(failure) ? 1 : TASK_FAILURES);
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
