import type { RecordOutput, TaskScope } from '../activities/contracts/steps.ts';
import { QUBITS_PER_MUX } from '../shared/science/conventions/multiplexer.ts';
import { numbersIn, rangesOf } from './number-ranges.ts';

/** The next targets that are measured together, and their task. */
export interface TargetWork {
  targets: string[];
  index: number;
}

/** Maximum number of targets in a batch, so that request and answer stay small on any chip. */
const BATCH_SIZE = 64;

/** A target of a step: its number in the step, its position in its lane, and the target before it in the lane. */
interface QueuedTarget {
  target: string;
  number: number;
  depth: number;
  before: string | undefined;
}

/** Targets that share a measurement of this scope have the same group. `lead`: the task leads the list, so lanes do not count. */
function groupOf({ target, number, depth }: QueuedTarget, scope: TaskScope, lead: boolean): string {
  const row = lead ? 'all' : depth;
  if (scope === 'batch') return `batch ${row} ${Math.trunc(number / BATCH_SIZE)}`;
  const qubit = Number(target);
  return Number.isInteger(qubit) ? `mux ${row} ${Math.trunc(qubit / QUBITS_PER_MUX)}` : target;
}

function targetsOfLanes(lanes: readonly (readonly string[])[]): QueuedTarget[] {
  let number = 0;
  return lanes.flatMap((lane) =>
    lane.map((target, depth) => ({ target, number: number++, depth, before: lane[depth - 1] })),
  );
}

/**
 * Decides which targets of a step are measured next. Lanes run in parallel; within a lane, a target starts when the previous
 * one has ended. Each target goes through its task list alone, but waits at a task that it shares with its mux or with all
 * targets, until the rest of the group has arrived or ended. Shared tasks at the start of the list run before lanes count, so
 * that a mux that forms a lane is measured once. Later ones are shared only between targets at the same position of different
 * lanes, because targets of one lane must not be measured at the same time. Sharing stays within a step; when a mux occurs in
 * several steps, the record keeper knows what an earlier step measured. The order is deterministic: that of the plan.
 * @param positions where targets continue after the stage continued as new, as `positions` returned it; null starts all of
 * them at 0
 */
export function createTargetQueue(
  lanes: readonly (readonly string[])[],
  scopes: readonly TaskScope[],
  positions: Readonly<Record<string, string>> | null = null,
) {
  const queued = targetsOfLanes(lanes);
  const byTarget = new Map(queued.map((entry) => [entry.target, entry]));
  const at = new Map<string, number>();
  const resumed = new Map(
    Object.entries(positions ?? {}).flatMap(([index, ranges]) =>
      numbersIn(ranges).map((number) => [number, Number(index)] as const),
    ),
  );
  for (const { target, number } of queued) {
    const index = positions ? resumed.get(number) : 0;
    if (index !== undefined) at.set(target, index);
  }
  const underWay = new Set<string>();
  const firstAlone = scopes.indexOf('target');
  const leads = (index: number) => firstAlone < 0 || index < firstAlone;
  const groups = new Map<string, Set<string>>();
  for (const [index, scope] of scopes.entries()) {
    if (scope === 'target') continue;
    for (const entry of queued) {
      const group = groupOf(entry, scope, leads(index));
      groups.set(group, (groups.get(group) ?? new Set()).add(entry.target));
    }
  }

  /** The targets that share the next task of `entry`, if all of them have arrived there. */
  function gathered(entry: QueuedTarget, index: number): string[] | null {
    const scope = scopes[index] ?? 'target';
    if (scope === 'target') return [entry.target];
    const group = groups.get(groupOf(entry, scope, leads(index))) ?? [];
    const members = [...group].filter((each) => at.has(each));
    const ready = members.every((each) => at.get(each) === index && !underWay.has(each) && hasTurn(each));
    return ready ? members : null;
  }

  function hasTurn(target: string): boolean {
    if (leads(at.get(target) ?? 0)) return true;
    const before = byTarget.get(target)?.before;
    return before === undefined || !at.has(before);
  }

  function next(): TargetWork | null {
    for (const [target, index] of at) {
      const entry = byTarget.get(target);
      if (!entry || underWay.has(target) || !hasTurn(target)) continue;
      const members = gathered(entry, index);
      if (members) return { targets: members, index };
    }
    return null;
  }

  return {
    /** Takes the next work; null if nothing can start now. */
    take(): TargetWork | null {
      const work = next();
      for (const target of work?.targets ?? []) underWay.add(target);
      return work;
    },

    /** Whether work can start now. */
    ready: () => next() !== null,

    /** Whether work is in progress, after which more may be ready. */
    busy: () => underWay.size > 0,

    /** Notes the new positions of the targets of a work; targets that did not pass are done. */
    done(work: TargetWork, ended: Pick<RecordOutput, 'passed' | 'index'>): void {
      for (const target of work.targets) {
        underWay.delete(target);
        if (ended.passed.includes(target) && ended.index < scopes.length) at.set(target, ended.index);
        else at.delete(target);
      }
    },

    /** Numbers of the unfinished targets, by the position of their next task; null if all are done. */
    positions(): Record<string, string> | null {
      const open = new Map<number, number[]>();
      for (const [target, index] of at) {
        const entry = byTarget.get(target);
        if (!entry) continue;
        const numbers = open.get(index);
        if (numbers) numbers.push(entry.number);
        else open.set(index, [entry.number]);
      }
      if (open.size === 0) return null;
      return Object.fromEntries([...open].map(([index, numbers]) => [index, rangesOf(numbers)]));
    },
  };
}
