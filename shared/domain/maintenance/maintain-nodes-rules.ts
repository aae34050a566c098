/** Which tasks of which targets a maintenance looks at, and which of them hold. */
import { couplingEnds } from '../../tasks/coupling-roles.ts';
import type { GraphTask, MaintenanceGraph } from './graph-rules.ts';
import { retryTime } from './maintain-rules.ts';
import { kindWritten, type OrderedTask, readsOf } from './order-rules.ts';
import type { FailedTask, JudgedValue, ValuePlace, ValueStateName } from './state-rules.ts';

/** Why the values that a task finds on a target do not hold. */
export interface NotHolding {
  task: string;
  target: string;
  reason: string;
  /** State of the value that the reason is about. */
  state: ValueStateName;
  /** Names of the values that do not hold. */
  parameters: string[];
  /** Whether the task found a value that is stored, so that there is something to check. */
  isKnown: boolean;
  /** Until when it is left alone after failures, ms since 1970. */
  retryAt: number | null;
}

/** Parts of a task's input values that belong to the same target, or to an end of a coupling. */
export interface TaskDependence {
  task: string;
  role: 'own' | 'control' | 'target' | 'coupling';
}

/** What each task depends on among the tasks of a graph. */
export function dependencesIn({
  tasks,
  nodes,
}: MaintenanceGraph<OrderedTask>): Map<string, TaskDependence[]> {
  return new Map(
    tasks.map(({ task, reads }) => {
      const found = reads.flatMap(({ node, role }): TaskDependence[] => {
        const producer = nodes.get(node)?.task;
        return producer ? [{ task: producer, role }] : [];
      });
      return [task.name, [...new Map(found.map((each) => [`${each.task} ${each.role}`, each])).values()]];
    }),
  );
}

/** Tasks after a task that find one of the values that it reads, the finest first; none of them if it finds the value itself. */
export interface TaskRefinement {
  tasks: string[];
  role: TaskDependence['role'];
}

/** What each task reads that later tasks find finer. They measured the value that is stored once the chip was calibrated. */
export function refinementsIn({
  tasks,
}: Pick<MaintenanceGraph<OrderedTask>, 'tasks'>): Map<string, TaskRefinement[]> {
  return new Map(
    tasks.map(({ task }, place) => {
      const refined = readsOf(task).flatMap(({ kind, parameter, role }): TaskRefinement[] => {
        if (kind === kindWritten(task) && Object.hasOwn(task.outputs, parameter)) return [];
        const finer = laterFinders(tasks, place, { kind, parameter });
        return finer.length === 0 ? [] : [{ tasks: finer.reverse(), role }];
      });
      return [task.name, [...new Map(refined.map((each) => [JSON.stringify(each), each])).values()]];
    }),
  );
}

/**
 * Of each value that others refine, the node of the finest task that can be checked.
 * @param canCheck by the id of a node: `CheckRamsey 3`
 */
export function refiningNodes(
  refinements: readonly TaskRefinement[],
  { target, canCheck }: { target: string; canCheck: (node: string) => boolean },
): string[] {
  const finest = refinements.flatMap(({ tasks, role }) => {
    const nodes = tasks.map((task) => `${task} ${targetOf(target, role)}`);
    return nodes.find(canCheck) ?? [];
  });
  return [...new Set(finest)];
}

/** The target on which a dependence was measured. */
export function targetOf(target: string, role: TaskDependence['role']): string {
  const ends = couplingEnds(target);
  return (role === 'control' ? ends?.control : role === 'target' ? ends?.target : undefined) ?? target;
}

/**
 * Why a task's values on a target do not hold; null if they do. Values that a later task of the list found since are not the
 * task's: they hold or not by that one.
 * @param later names of the tasks that come after it and find one of its values
 */
export function notHolding(
  task: OrderedTask,
  target: string,
  {
    judge,
    later,
    failures,
  }: {
    judge(place: ValuePlace): JudgedValue;
    later: ReadonlySet<string>;
    failures: readonly FailedTask[];
  },
): NotHolding | null {
  const { name, outputs } = task;
  const kind = kindWritten(task);
  const judged = Object.entries(outputs).flatMap(([parameter, { optional }]) => {
    const value = judge({ kind, qid: target, parameter });
    return optional && value.current === null ? [] : [value];
  });
  const own = judged.filter(({ current }) => current?.task === name);
  const wrong = wrongValues(name, { judged, own, later });
  const [first] = wrong;
  if (!first) return null;
  const found = Math.max(0, ...own.map(({ current }) => current?.at.getTime() ?? 0));
  const failed = failures.filter((each) => each.task === name && each.at.getTime() > found);
  const last = Math.max(0, ...failed.map(({ at }) => at.getTime()));
  const retryAt = failed.length > 0 ? retryTime(failed.length, last) : null;
  const { parameter, state, current, reason } = first;
  const what = current?.task === name ? `is ${state}` : `was not found by ${name}`;
  return {
    task: name,
    target,
    reason: `${parameter} ${what}. ${reason}`,
    state,
    parameters: wrong.map((each) => each.parameter),
    isKnown: own.length > 0,
    retryAt,
  };
}

/** The values that a task found and that do not hold; if there are none, those that neither it nor a later task found. */
function wrongValues(
  name: string,
  {
    judged,
    own,
    later,
  }: { judged: readonly JudgedValue[]; own: readonly JudgedValue[]; later: ReadonlySet<string> },
): JudgedValue[] {
  const wrong = own.filter(({ state }) => state !== 'fresh');
  if (wrong.length > 0) return wrong;
  return judged.filter(({ current }) => current?.task !== name && !later.has(current?.task ?? ''));
}

/** For each task, the later tasks that find one of its values. */
export function laterTasks(tasks: readonly GraphTask<OrderedTask>[]): Map<string, Set<string>> {
  return new Map(
    tasks.map(({ task }, place) => {
      const kind = kindWritten(task);
      const after = Object.keys(task.outputs).flatMap((parameter) =>
        laterFinders(tasks, place, { kind, parameter }),
      );
      return [task.name, new Set(after)];
    }),
  );
}

/** Names of the tasks after a place in the order that find a value, in their order. */
function laterFinders(
  tasks: readonly GraphTask<OrderedTask>[],
  place: number,
  { kind, parameter }: { kind: ReturnType<typeof kindWritten>; parameter: string },
): string[] {
  return tasks
    .slice(place + 1)
    .filter(({ task }) => kindWritten(task) === kind && Object.hasOwn(task.outputs, parameter))
    .map(({ task }) => task.name);
}
