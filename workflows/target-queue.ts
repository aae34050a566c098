import type { RecordOutput, TaskScope } from '../activities/contract.ts';

/** Targets that are measured together next, and the task. */
export interface TargetWork {
  targets: string[];
  index: number;
}

/** Qubits of one mux have consecutive numbers. */
const MUX_SIZE = 4;

/** Targets of one batch at most, so that request and answer stay small on any chip. */
const BATCH_SIZE = 64;

/** Targets that share a measurement of this scope have the same group. `place` is the target's in the plan. */
function groupOf(target: string, place: number, scope: TaskScope): string {
  if (scope === 'batch') return String(Math.trunc(place / BATCH_SIZE));
  const qubit = Number(target);
  return scope === 'mux' && Number.isInteger(qubit) ? String(Math.trunc(qubit / MUX_SIZE)) : target;
}

/**
 * Who is next in a stage. Each target walks its task list alone, but waits at a task that it shares with its
 * mux or with all: the shared measurement is made once all of the group that still go on have come there.
 * Deterministic, in the order of the plan.
 * @param positions where targets go on that a stage began before it continued as new; else all begin at 0.
 */
export function createTargetQueue(
  targets: readonly string[],
  scopes: readonly TaskScope[],
  positions?: Readonly<Record<string, readonly string[]>>,
) {
  const at = new Map<string, number>();
  if (positions) {
    const resumed = new Map(
      Object.entries(positions).flatMap(([index, group]) =>
        group.map((target) => [target, Number(index)] as const),
      ),
    );
    for (const target of targets) {
      const index = resumed.get(target);
      if (index !== undefined) at.set(target, index);
    }
  } else for (const target of targets) at.set(target, 0);
  const underWay = new Set<string>();
  const places = new Map(targets.map((target, place) => [target, place]));
  const placeOf = (target: string) => places.get(target) ?? 0;

  /** The targets that share the task at which `target` stands, when all of them have come there. */
  function gathered(target: string, index: number): string[] | null {
    const scope = scopes[index] ?? 'target';
    if (scope === 'target') return [target];
    const group = groupOf(target, placeOf(target), scope);
    const members = [...at.keys()].filter((each) => groupOf(each, placeOf(each), scope) === group);
    return members.every((each) => at.get(each) === index && !underWay.has(each)) ? members : null;
  }

  function next(): TargetWork | null {
    for (const [target, index] of at) {
      if (underWay.has(target) || index >= scopes.length) continue;
      const members = gathered(target, index);
      if (members) return { targets: members, index };
    }
    return null;
  }

  return {
    /** Takes the next work; null when nothing can begin now. */
    take(): TargetWork | null {
      const work = next();
      for (const target of work?.targets ?? []) underWay.add(target);
      return work;
    },

    /** Whether something can begin now. */
    ready: () => next() !== null,

    /** Whether work is under way, after which more may be ready. */
    busy: () => underWay.size > 0,

    /** Notes where the targets of a work stand now; those that did not pass are done. */
    done(work: TargetWork, ended: Pick<RecordOutput, 'passed' | 'index'>): void {
      for (const target of work.targets) {
        underWay.delete(target);
        if (ended.passed.includes(target) && ended.index < scopes.length) at.set(target, ended.index);
        else at.delete(target);
      }
    },

    /** Targets that go on, by the position of their next task. */
    positions(): Record<string, string[]> {
      const open: Record<string, string[]> = {};
      for (const [target, index] of at) open[index] = [...(open[index] ?? []), target];
      return open;
    },
  };
}
