import type {
  MaintainAction,
  MaintainDecision,
  MaintainOutcome,
} from '../../../shared/domain/maintenance/maintain-model.ts';
import { createMaintenance, ofOneTask } from '../../../shared/domain/maintenance/maintain-rules.ts';
import { HOUR_MS, START } from './chip.ts';
import { type Laboratory, TASKS } from './laboratory.ts';
import { hasCheck } from './measuring.ts';

/** A task that was run again on a qubit. */
export interface Repair {
  task: string;
  qid: string;
  /** Whether the task did not hold at the start of the hour, so that it was due in any case. */
  wasDue: boolean;
}

/** What a lab does each hour to keep a chip calibrated. */
export type Policy = (lab: Laboratory, hour: number, qids: readonly string[]) => Repair[];

/** Hours from one calibration of all tasks to the next, and from one check of all tasks to the next. */
const CALIBRATION_HOURS = 24;
const RECHECK_HOURS = 6;

function calibrateAll(lab: Laboratory, hour: number, qids: readonly string[]): Repair[] {
  return qids.flatMap((qid) =>
    TASKS.map((task) => {
      lab.calibrate(task, qid, hour);
      return { task, qid, wasDue: true };
    }),
  );
}

/** What the planner decided in an hour, in order, and what was run again. */
export interface MaintainedHour {
  repairs: Repair[];
  decisions: readonly MaintainDecision[];
}

/** Lets the planner work in an hour. What can be measured at once is measured task by task, as in a run. */
export function maintainHour(lab: Laboratory, hour: number): MaintainedHour {
  const nodes = lab.nodes(hour);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const options = { now: START + hour * HOUR_MS, seconds: Number.POSITIVE_INFINITY };
  const maintenance = createMaintenance(nodes, options);
  const repairs: Repair[] = [];
  const taskOf = (id: string) => byId.get(id)?.task ?? '';
  for (let actions = maintenance.next(); actions.length > 0; actions = maintenance.next()) {
    const outcomes = ofOneTask(actions, taskOf).map((action) => {
      const { task = '', target: qid = '', holds = false } = byId.get(action.node) ?? {};
      if (action.kind === 'calibrate') repairs.push({ task, qid, wasDue: !holds });
      return { action, outcome: measured(lab, action.kind, { task, qid, hour }) };
    });
    for (const { action, outcome } of outcomes) maintenance.apply(action, outcome);
  }
  return { repairs, decisions: maintenance.decisions() };
}

function measured(
  lab: Laboratory,
  kind: MaintainAction['kind'],
  { task, qid, hour }: { task: string; qid: string; hour: number },
): MaintainOutcome {
  if (kind === 'check') return { kind: 'checked', ...lab.check(task, qid, hour) };
  const { ok, changed, message } = lab.calibrate(task, qid, hour);
  return ok ? { kind: 'calibrated', changed } : { kind: 'failed', message };
}

/** Does what the planner of maintenance decides. */
export const maintain: Policy = (lab, hour) => maintainHour(lab, hour).repairs;

/** Runs all tasks every night. */
export const nightly: Policy = (lab, hour, qids) =>
  hour % CALIBRATION_HOURS === 0 ? calibrateAll(lab, hour, qids) : [];

/** Checks all tasks several times a day and runs those whose check failed. A task without a check is always run. */
export const recheck: Policy = (lab, hour, qids) => {
  if (hour === 0) return calibrateAll(lab, hour, qids);
  if (hour % RECHECK_HOURS !== 0) return [];
  return qids.flatMap((qid) =>
    TASKS.flatMap((task) => {
      if (hasCheck(task) && lab.check(task, qid, hour).outcome === 'in_specification') return [];
      lab.calibrate(task, qid, hour);
      return [{ task, qid, wasDue: !hasCheck(task) }];
    }),
  );
};
