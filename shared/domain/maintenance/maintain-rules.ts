/**
 * Which tasks to check and to run again so that a chip's values hold, after "Physical qubit calibration on a directed acyclic
 * graph" (https://arxiv.org/abs/1803.03226). Values that are known to hold cost nothing. What may not hold is checked. A check
 * that is out of specification is repaired by its own task; one with bad data first looks at what the task depends on, and the
 * first broken ancestor is repaired before it. What reads a repaired value that changed is checked again. Before a task is run
 * again, later tasks that found finer what it reads are checked: with a wrong frequency, the amplitude of a pulse is wrong too,
 * although the fringes that give the frequency need the pulse.
 */
import { MaintainDecisions } from './maintain-decision-rules.ts';
import type {
  MaintainAction,
  MaintainDecision,
  MaintainDecisionKind,
  MaintainNode,
  MaintainOutcome,
  MaintainResult,
} from './maintain-model.ts';
import { createProgressGraph, isSettled, isWaiting, type Progress } from './maintain-progress.ts';

const MS_PER_HOUR = 3_600_000;
const FIRST_RETRY_HOURS = 1;
const LAST_RETRY_HOURS = 168;

/** When a task that failed is tried again, ms since 1970: after one hour, then twice as long each time, at most a week. */
export function retryTime(failures: number, lastFailure: number): number {
  const hours = Math.min(LAST_RETRY_HOURS, FIRST_RETRY_HOURS * 2 ** Math.max(0, failures - 1));
  return lastFailure + hours * MS_PER_HOUR;
}

export interface Maintenance {
  /** What can be measured now, at the same time if the chip allows it; empty at the end. */
  next(): MaintainAction[];
  apply(action: MaintainAction, outcome: MaintainOutcome): void;
  /** Leaves all that is not settled for later. */
  postpone(reason: string): void;
  /** All decisions so far, in order. */
  decisions(): readonly MaintainDecision[];
  /** What is decided about each node now. */
  standing(): MaintainDecision[];
  result(): MaintainResult;
}

/**
 * @param nodes without a cycle; dependences on other nodes are ignored
 * @param now ms since 1970
 * @param seconds hardware time that may be used
 */
export function createMaintenance(
  nodes: readonly MaintainNode[],
  { now, seconds: allowed }: { now: number; seconds: number },
): Maintenance {
  const graph = createProgressGraph(nodes);
  const { dependencesOf, refinementsOf } = graph;
  const decisions = new MaintainDecisions(graph, now);
  let spent = 0;

  /** What the hardware time suffices for. */
  function affordable(actions: readonly MaintainAction[]): MaintainAction[] {
    let planned = spent;
    return actions.filter((action) => {
      if (planned + action.seconds > allowed) return false;
      planned += action.seconds;
      return true;
    });
  }

  /** Checks and calibrations for which everything that they depend on is settled. */
  function readyActions(): MaintainAction[] {
    return [...graph.all()].flatMap((progress): MaintainAction[] => {
      const { node, status, reason } = progress;
      if (status !== 'check' && status !== 'calibrate') return [];
      const isReady = (each: Progress) =>
        isSettled(each) || (isWaiting(each) && refinementsOf(each).includes(progress));
      if (!dependencesOf(progress).every(isReady)) return [];
      const seconds = status === 'check' ? (node.checkSeconds ?? node.seconds) : node.seconds;
      return [{ kind: status, node: node.id, reason, seconds }];
    });
  }

  return {
    next() {
      decisions.endDiagnoses();
      decisions.endRefinements((each) => isSettled(each) || each.status === 'diagnose');
      let ready = readyActions();
      if (ready.length === 0) {
        // What would refine a value waits for the task that reads it, by way of others.
        decisions.endRefinements(() => true);
        ready = readyActions();
      }
      const chosen = affordable(ready);
      if (chosen.length === 0 && ready.length > 0) decisions.postpone('The hardware time is used up.');
      return chosen;
    },
    postpone: (reason) => decisions.postpone(reason),

    apply({ node, kind, seconds }, outcome) {
      const progress = graph.get(node);
      if (!progress || progress.status !== kind) throw new Error(`No ${kind} of ${node} was requested.`);
      spent += seconds;
      if (kind === 'calibrate') progress.calibrations += 1;
      if (outcome.kind === 'checked') decisions.checked(progress, outcome);
      else if (outcome.kind === 'calibrated') decisions.repaired(progress, outcome.changed);
      else decisions.calibrationFailed(progress, outcome.message);
    },

    decisions: () => decisions.all(),

    standing: () =>
      [...graph.all()].map(({ node, status, reason }) => ({ node: node.id, decision: status, reason })),

    result() {
      const having = (status: MaintainDecisionKind) =>
        [...graph.all()].filter((progress) => progress.status === status);
      return {
        holds: having('holds').map(({ node }) => node.id),
        notRepaired: having('not_repaired').map(({ node, reason }) => ({ node: node.id, reason })),
        postponed: having('postponed').map(({ node }) => node.id),
        hardwareSeconds: spent,
      };
    },
  };
}

/** Those of the actions that one stage can measure: of the kind and of the task of the first one. */
export function ofOneTask(
  actions: readonly MaintainAction[],
  taskOf: (node: string) => string,
): MaintainAction[] {
  const [first] = actions;
  return actions.filter(
    ({ kind, node }) => first && kind === first.kind && taskOf(node) === taskOf(first.node),
  );
}
