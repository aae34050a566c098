/**
 * Which tasks to check and to run again so that a chip's values hold, after "Physical qubit calibration on a directed acyclic
 * graph" (https://arxiv.org/abs/1803.03226). What holds as far as is known costs nothing. What may not hold is checked. A check
 * that is out of specification is repaired by its own task; one with bad data first looks at what the task depends on, and the
 * first broken ancestor is repaired before it. What reads a repaired value that changed is checked again. Before a task is run
 * again, later tasks that found finer what it reads are checked: with a wrong frequency, the amplitude of a pulse is wrong too,
 * although the fringes that give the frequency need the pulse.
 */
import type {
  DecisiveCheck,
  MaintainAction,
  MaintainDecision,
  MaintainDecisionKind,
  MaintainNode,
  MaintainOutcome,
  MaintainResult,
} from './maintain-model.ts';
import {
  createProgressGraph,
  isLeftAlone,
  isSettled,
  isWaiting,
  type Progress,
} from './maintain-progress.ts';

/** How often a task is run on a target in one maintenance. */
const MAX_CALIBRATIONS = 2;
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
  const decisions: MaintainDecision[] = [];
  let spent = 0;

  for (const progress of graph.all()) start(progress);

  function decide(
    progress: Progress,
    status: MaintainDecisionKind,
    reason: string,
    check?: DecisiveCheck,
  ): void {
    progress.status = status;
    progress.reason = reason;
    decisions.push({ node: progress.node.id, decision: status, reason, ...(check && { check }) });
  }

  function start(progress: Progress): void {
    const { holds, reason, retryAt } = progress.node;
    if (holds) return;
    if (retryAt !== null && retryAt > now) {
      const until = new Date(retryAt).toISOString().slice(0, 16);
      decide(progress, 'not_repaired', `${reason} It is tried again after ${until}Z.`);
    } else examine(progress, reason);
  }

  /** Checks a node, or runs its task if it has no check. */
  function examine(progress: Progress, reason: string): void {
    if (progress.node.checkSeconds !== null) decide(progress, 'check', reason);
    else calibrate(progress, `${reason} It has no check.`);
  }

  function calibrate(progress: Progress, reason: string, check?: DecisiveCheck): void {
    if (progress.calibrations < MAX_CALIBRATIONS) decide(progress, 'calibrate', reason, check);
    else decide(progress, 'not_repaired', `It was calibrated ${MAX_CALIBRATIONS} times. ${reason}`, check);
  }

  /** Runs a task whose check failed, after a look at those that refined what it reads. */
  function repair(progress: Progress, reason: string, check?: DecisiveCheck): void {
    const open = refinementsOf(progress).filter((each) => !each.verified && !isLeftAlone(each));
    if (progress.refinements !== 'unknown' || open.length === 0) {
      calibrate(progress, reason, check);
      return;
    }
    progress.refinements = 'waiting';
    const names = open.map(({ node }) => node.id).join(' and ');
    decide(progress, 'diagnose', `${reason} ${names} found what it reads, and is checked first.`, check);
    for (const each of open) {
      if (each.status === 'holds') examine(each, `${progress.node.id} reads what it found.`);
    }
  }

  /** Ends the waits for refinements that are settled, or that wait for the same task in turn. */
  function endRefinements(isOver: (refinement: Progress) => boolean): void {
    for (const progress of graph.all()) {
      const { refinements } = progress;
      if (!isWaiting(progress) || !refinementsOf(progress).every(isOver)) continue;
      progress.refinements = 'known';
      if (refinements === 'changed') examine(progress, 'What it reads changed.');
      else if (refinementsOf(progress).every(({ status }) => status === 'holds')) {
        calibrate(progress, 'What it depends on and reads is in specification.');
      } else
        calibrate(progress, 'What found the values that it reads cannot be judged before it is repaired.');
    }
  }

  /** Looks at what a node depends on, as far as this maintenance has not done so. */
  function diagnose(progress: Progress, reason: string, check?: DecisiveCheck): void {
    progress.upstreamRepaired = false;
    decide(progress, 'diagnose', reason, check);
    for (const each of dependencesOf(progress)) {
      if (each.status === 'holds' && !each.verified) examine(each, `${progress.node.id} depends on it.`);
    }
  }

  /** Decides about nodes whose diagnosis is over; what they decide may end other diagnoses. */
  function endDiagnoses(): void {
    for (const progress of graph.all()) {
      if (progress.status !== 'diagnose' && progress.status !== 'calibrate') continue;
      if (isWaiting(progress)) continue;
      const dependences = dependencesOf(progress);
      if (!dependences.every(isSettled)) continue;
      const blocking = dependences.find(({ status }) => status !== 'holds');
      if (blocking) blockedBy(progress, blocking);
      else if (progress.status === 'diagnose') endDiagnosis(progress);
    }
  }

  function blockedBy(progress: Progress, { status, node }: Progress): void {
    if (status === 'postponed')
      decide(progress, 'postponed', `It depends on ${node.id}, which is postponed.`);
    else decide(progress, 'not_repaired', `It depends on ${node.id}, which could not be repaired.`);
  }

  function endDiagnosis(progress: Progress): void {
    const { calibrationFailed, upstreamRepaired, reason } = progress;
    if (!calibrationFailed && upstreamRepaired) examine(progress, 'What it depends on was repaired.');
    else if (!calibrationFailed) repair(progress, 'All that it depends on is in specification.');
    else if (upstreamRepaired) calibrate(progress, 'What it depends on was repaired.');
    else decide(progress, 'not_repaired', reason);
  }

  function checked(progress: Progress, { kind: _, ...check }: MaintainOutcome & { kind: 'checked' }): void {
    if (check.outcome === 'in_specification') {
      progress.verified = true;
      decide(progress, 'holds', 'Its check is in specification.', check);
    } else if (check.outcome === 'out_of_specification') {
      repair(progress, 'Its check is out of specification.', check);
    } else diagnose(progress, 'Its check has bad data.', check);
  }

  function repaired(progress: Progress, changed: boolean): void {
    progress.verified = true;
    progress.calibrationFailed = false;
    decide(
      progress,
      'holds',
      changed ? 'It was calibrated and changed.' : 'It was calibrated and did not change.',
    );
    for (const each of graph.allDependants(progress)) each.upstreamRepaired = true;
    if (!changed) return;
    for (const each of graph.all()) {
      if (isWaiting(each) && refinementsOf(each).includes(progress)) each.refinements = 'changed';
    }
    for (const each of graph.dependantsOf(progress)) {
      each.verified = false;
      const mayHold =
        each.status === 'calibrate' && each.node.checkSeconds !== null && !each.calibrationFailed;
      if (each.status === 'holds' || mayHold) examine(each, `${progress.node.id} changed.`);
    }
  }

  function calibrationFailed(progress: Progress, message: string): void {
    const wasDiagnosed = progress.calibrationFailed;
    progress.calibrationFailed = true;
    if (wasDiagnosed) decide(progress, 'not_repaired', `Its calibration failed again: ${message}`);
    else diagnose(progress, `Its calibration failed: ${message}`);
  }

  /** What the hardware time suffices for. */
  function affordable(actions: readonly MaintainAction[]): MaintainAction[] {
    let planned = spent;
    return actions.filter((action) => {
      if (planned + action.seconds > allowed) return false;
      planned += action.seconds;
      return true;
    });
  }

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

  function postpone(reason: string): void {
    for (const progress of graph.all()) {
      if (!isSettled(progress)) decide(progress, 'postponed', reason);
    }
  }

  return {
    next() {
      endDiagnoses();
      endRefinements((each) => isSettled(each) || each.status === 'diagnose');
      let ready = readyActions();
      if (ready.length === 0) {
        // What would refine a value waits for the task that reads it, by way of others.
        endRefinements(() => true);
        ready = readyActions();
      }
      const chosen = affordable(ready);
      if (chosen.length === 0 && ready.length > 0) postpone('The hardware time is used up.');
      return chosen;
    },
    postpone,

    apply({ node, kind, seconds }, outcome) {
      const progress = graph.get(node);
      if (!progress || progress.status !== kind) throw new Error(`No ${kind} of ${node} was requested.`);
      spent += seconds;
      if (kind === 'calibrate') progress.calibrations += 1;
      if (outcome.kind === 'checked') checked(progress, outcome);
      else if (outcome.kind === 'calibrated') repaired(progress, outcome.changed);
      else calibrationFailed(progress, outcome.message);
    },

    decisions: () => decisions,

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
