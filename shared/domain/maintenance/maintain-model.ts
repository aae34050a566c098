/** What the maintenance of a chip decides, and on what. Plain types, so that flows and workflows can use them. */
import type { CheckOutcome } from '../../tasks/check-model.ts';

/** A task on a target, with what is known about the values that it finds. */
export interface MaintainNode {
  /** Unique among all nodes. */
  id: string;
  task: string;
  target: string;
  /** Ids of the nodes whose values it reads. */
  dependsOn: readonly string[];
  /** Ids of nodes that come later in the order of calibration and found finer what this one reads. */
  refinedBy: readonly string[];
  /** Whether its values hold, as far as that is known without a measurement. */
  holds: boolean;
  /** The reason, as a message. */
  reason: string;
  /** Hardware time of its check; null for a task that cannot be checked except by running it. */
  checkSeconds: number | null;
  /** Hardware time of the task itself. */
  seconds: number;
  /** Until when it is left alone after failures, ms since 1970; null for one that has not failed. */
  retryAt: number | null;
}

/** Something to measure. */
export interface MaintainAction {
  kind: 'check' | 'calibrate';
  node: string;
  reason: string;
  seconds: number;
}

/** How an action ended. */
export type MaintainOutcome =
  | { kind: 'checked'; outcome: CheckOutcome; reason?: string }
  /** `changed`: by more than the errors of both values, so that what was found with the old one may be wrong. */
  | { kind: 'calibrated'; changed: boolean }
  | { kind: 'failed'; message: string };

export const maintainDecisions = [
  'holds',
  'check',
  'diagnose',
  'calibrate',
  'not_repaired',
  'postponed',
] as const;
export type MaintainDecisionKind = (typeof maintainDecisions)[number];

/** A decision with its reason. */
export interface MaintainDecision {
  node: string;
  decision: MaintainDecisionKind;
  reason: string;
  /** The check that led to it; absent if none did. */
  check?: DecisiveCheck;
}

/** What a check found, with the message that says why if it was not in specification. */
export interface DecisiveCheck {
  outcome: CheckOutcome;
  reason?: string;
}

/** `start`: what is known without a measurement; `end`: the final result. */
export const maintainPhases = ['start', 'run', 'end'] as const;
export type MaintainPhase = (typeof maintainPhases)[number];

/** The result of a maintenance. */
export interface MaintainResult {
  holds: string[];
  notRepaired: { node: string; reason: string }[];
  /** Left for later, because the hardware time was used up. */
  postponed: string[];
  hardwareSeconds: number;
}
