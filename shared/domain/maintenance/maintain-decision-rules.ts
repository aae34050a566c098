/** What is decided about each node of a maintenance, and why: maintain-rules.ts describes the rules. */
import type {
  DecisiveCheck,
  MaintainDecision,
  MaintainDecisionKind,
  MaintainOutcome,
} from './maintain-model.ts';
import { isLeftAlone, isSettled, isWaiting, type Progress, type ProgressGraph } from './maintain-progress.ts';

/** How often a task is run on a target in one maintenance. */
const MAX_CALIBRATIONS = 2;

/** Decides about the nodes of a graph as their checks and calibrations end. */
export class MaintainDecisions {
  private readonly made: MaintainDecision[] = [];
  private readonly graph: ProgressGraph;
  private readonly now: number;

  /** @param now ms since 1970 */
  constructor(graph: ProgressGraph, now: number) {
    this.graph = graph;
    this.now = now;
    for (const progress of graph.all()) this.start(progress);
  }

  /** All decisions so far, in order. */
  all(): readonly MaintainDecision[] {
    return this.made;
  }

  /** Sets what is decided about a node. */
  private decide(
    progress: Progress,
    status: MaintainDecisionKind,
    reason: string,
    check?: DecisiveCheck,
  ): void {
    progress.status = status;
    progress.reason = reason;
    this.made.push({ node: progress.node.id, decision: status, reason, ...(check && { check }) });
  }

  /** Decides about a node before anything is measured. */
  private start(progress: Progress): void {
    const { holds, reason, retryAt } = progress.node;
    if (holds) return;
    if (retryAt !== null && retryAt > this.now) {
      const until = new Date(retryAt).toISOString().slice(0, 16);
      this.decide(progress, 'not_repaired', `${reason} It is tried again after ${until}Z.`);
    } else this.examine(progress, reason);
  }

  /** Checks a node, or runs its task if it has no check. */
  private examine(progress: Progress, reason: string): void {
    if (progress.node.checkSeconds !== null) this.decide(progress, 'check', reason);
    else this.calibrate(progress, `${reason} It has no check.`);
  }

  /** Runs the task of a node, unless it ran too often already. */
  private calibrate(progress: Progress, reason: string, check?: DecisiveCheck): void {
    if (progress.calibrations < MAX_CALIBRATIONS) this.decide(progress, 'calibrate', reason, check);
    else
      this.decide(progress, 'not_repaired', `It was calibrated ${MAX_CALIBRATIONS} times. ${reason}`, check);
  }

  /** Runs a task whose check failed, after a look at those that refined what it reads. */
  private repair(progress: Progress, reason: string, check?: DecisiveCheck): void {
    const open = this.graph.refinementsOf(progress).filter((each) => !each.verified && !isLeftAlone(each));
    if (progress.refinements !== 'unknown' || open.length === 0) {
      this.calibrate(progress, reason, check);
      return;
    }
    progress.refinements = 'waiting';
    const names = open.map(({ node }) => node.id).join(' and ');
    this.decide(progress, 'diagnose', `${reason} ${names} found what it reads, and is checked first.`, check);
    for (const each of open) {
      if (each.status === 'holds') this.examine(each, `${progress.node.id} reads what it found.`);
    }
  }

  /** Ends the waits for refinements that are settled, or that wait for the same task in turn. */
  endRefinements(isOver: (refinement: Progress) => boolean): void {
    for (const progress of this.graph.all()) {
      const { refinements } = progress;
      if (!isWaiting(progress) || !this.graph.refinementsOf(progress).every(isOver)) continue;
      progress.refinements = 'known';
      if (refinements === 'changed') this.examine(progress, 'What it reads changed.');
      else if (this.graph.refinementsOf(progress).every(({ status }) => status === 'holds')) {
        this.calibrate(progress, 'What it depends on and reads is in specification.');
      } else
        this.calibrate(
          progress,
          'What found the values that it reads cannot be judged before it is repaired.',
        );
    }
  }

  /** Checks what a node depends on, unless this maintenance has done so. */
  private diagnose(progress: Progress, reason: string, check?: DecisiveCheck): void {
    progress.upstreamRepaired = false;
    this.decide(progress, 'diagnose', reason, check);
    for (const each of this.graph.dependencesOf(progress)) {
      if (each.status === 'holds' && !each.verified) this.examine(each, `${progress.node.id} depends on it.`);
    }
  }

  /** Decides about nodes whose diagnosis is over; what they decide may end other diagnoses. */
  endDiagnoses(): void {
    for (const progress of this.graph.all()) {
      if (progress.status !== 'diagnose' && progress.status !== 'calibrate') continue;
      if (isWaiting(progress)) continue;
      const dependences = this.graph.dependencesOf(progress);
      if (!dependences.every(isSettled)) continue;
      const blocking = dependences.find(({ status }) => status !== 'holds');
      if (blocking) this.blockedBy(progress, blocking);
      else if (progress.status === 'diagnose') this.endDiagnosis(progress);
    }
  }

  /** Gives up a node, or leaves it for later, with one that it depends on. */
  private blockedBy(progress: Progress, { status, node }: Progress): void {
    if (status === 'postponed')
      this.decide(progress, 'postponed', `It depends on ${node.id}, which is postponed.`);
    else this.decide(progress, 'not_repaired', `It depends on ${node.id}, which could not be repaired.`);
  }

  /** Decides about a node all of whose dependences hold. */
  private endDiagnosis(progress: Progress): void {
    const { calibrationFailed, upstreamRepaired, reason } = progress;
    if (!calibrationFailed && upstreamRepaired) this.examine(progress, 'What it depends on was repaired.');
    else if (!calibrationFailed) this.repair(progress, 'All that it depends on is in specification.');
    else if (upstreamRepaired) this.calibrate(progress, 'What it depends on was repaired.');
    else this.decide(progress, 'not_repaired', reason);
  }

  /** Applies the outcome of a check. */
  checked(progress: Progress, { kind: _, ...check }: MaintainOutcome & { kind: 'checked' }): void {
    if (check.outcome === 'in_specification') {
      progress.verified = true;
      this.decide(progress, 'holds', 'Its check is in specification.', check);
    } else if (check.outcome === 'out_of_specification') {
      this.repair(progress, 'Its check is out of specification.', check);
    } else this.diagnose(progress, 'Its check has bad data.', check);
  }

  /** Applies a calibration that succeeded. */
  repaired(progress: Progress, changed: boolean): void {
    progress.verified = true;
    progress.calibrationFailed = false;
    this.decide(
      progress,
      'holds',
      changed ? 'It was calibrated and changed.' : 'It was calibrated and did not change.',
    );
    for (const each of this.graph.allDependants(progress)) each.upstreamRepaired = true;
    if (!changed) return;
    for (const each of this.graph.all()) {
      if (isWaiting(each) && this.graph.refinementsOf(each).includes(progress)) each.refinements = 'changed';
    }
    for (const each of this.graph.dependantsOf(progress)) {
      each.verified = false;
      const mayHold =
        each.status === 'calibrate' && each.node.checkSeconds !== null && !each.calibrationFailed;
      if (each.status === 'holds' || mayHold) this.examine(each, `${progress.node.id} changed.`);
    }
  }

  /** Applies a calibration that failed. */
  calibrationFailed(progress: Progress, message: string): void {
    const wasDiagnosed = progress.calibrationFailed;
    progress.calibrationFailed = true;
    if (wasDiagnosed) this.decide(progress, 'not_repaired', `Its calibration failed again: ${message}`);
    else this.diagnose(progress, `Its calibration failed: ${message}`);
  }

  /** Leaves all that is not settled for later. */
  postpone(reason: string): void {
    for (const progress of this.graph.all()) {
      if (!isSettled(progress)) this.decide(progress, 'postponed', reason);
    }
  }
}
