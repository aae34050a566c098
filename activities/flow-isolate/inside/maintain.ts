import type { MaintenanceAnswer } from '../../../shared/domain/flows/model.ts';
import type {
  MaintainAction,
  MaintainNode,
  MaintainOutcome,
} from '../../../shared/domain/maintenance/maintain-model.ts';
import { refiningNodes, targetOf } from '../../../shared/domain/maintenance/maintain-nodes-rules.ts';
import {
  createMaintenance,
  type Maintenance,
  ofOneTask,
} from '../../../shared/domain/maintenance/maintain-rules.ts';
import type { CheckOutcome } from '../../../shared/tasks/check-model.ts';
import type { FlowContext } from '../protocol.ts';
import { ask, type Procedure } from './commands.ts';
import { createDecisionEntries } from './decisions.ts';
import type { Entries } from './entries.ts';
import { readOptions } from './options.ts';
import { type StageRequest, stageRequest } from './stage-request.ts';
import type { StageSummary } from './stage-summary.ts';
import { runStage } from './stages.ts';
import { listed } from './targets.ts';
import { maintainedTasks } from './task-lists.ts';
import { show } from './values.ts';

const CALL = 'session.maintain';
/** Targets and their reasons that one recorded list names at most, so that it stays within the size of a recorded value. */
const LISTED = 40;

export interface MaintainRequest {
  /** What all stages of the maintenance have in common. */
  stage: StageRequest;
  seconds: number;
}

/** Result of `session.maintain`: `MaintainSummary` of the declarations. */
export interface MaintainSummary {
  holds: number;
  checked: { task: string; target: string; outcome: CheckOutcome }[];
  measured: { task: string; target: string }[];
  not_repaired: { task: string; target: string; reason: string }[];
  postponed: { task: string; target: string }[];
}

/** Validates the arguments of `session.maintain`. */
export function maintainRequest(given: unknown, context: FlowContext): MaintainRequest {
  const { targets, tasks, seconds, mode } = readOptions(given, ['targets', 'tasks', 'seconds', 'mode'], CALL);
  if (typeof seconds !== 'number' || !(seconds > 0)) {
    throw new RangeError(
      `${CALL}: seconds is the time that may be measured, above 0, but got ${show(seconds)}`,
    );
  }
  const stage = { name: 'Maintenance', targets, tasks: tasks ?? maintainedTasks };
  return { stage: stageRequest(mode === undefined ? stage : { ...stage, mode }, context, CALL), seconds };
}

/**
 * Keeps what tasks find on targets within specification: measures what may not hold, and repairs the cause first.
 * @param number which maintenance of the run it is, from 0
 */
export function* maintain(
  { stage, seconds }: MaintainRequest,
  context: FlowContext,
  { entries, number }: { entries: Pick<Entries, 'log' | 'record' | 'decide'>; number: number },
): Procedure<MaintainSummary> {
  const { targets } = stage;
  const measured: MaintainSummary['measured'] = [];
  const checked: MaintainSummary['checked'] = [];
  if (targets.length === 0) return { holds: 0, checked, measured, not_repaired: [], postponed: [] };
  const names = [...new Set(stage.tasks.map(({ name }) => name))];
  const answer = yield* ask({ kind: 'maintenance', tasks: names, targets });
  const nodes = nodesOf(answer, targets, context);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const placeOf = (id: string) => {
    const { task = id, target = '' } = byId.get(id) ?? {};
    return { task, target };
  };
  const started = Date.now();
  const maintenance = createMaintenance(nodes, { now: started, seconds: Number.POSITIVE_INFINITY });
  const durations = new Map<string, number>();
  const decided = createDecisionEntries({ number, answer, nodes: byId, entries });
  decided.start(maintenance);

  for (let actions = maintenance.next(); actions.length > 0; actions = maintenance.next()) {
    const group = ofOneTask(actions, (id) => placeOf(id).task);
    const { task } = placeOf(group[0]?.node ?? '');
    const isCheck = group[0]?.kind === 'check';
    const ids = group.map(({ node }) => placeOf(node).target);
    const begun = Date.now();
    const kind = `${task} ${isCheck}`;
    if (begun - started + (durations.get(kind) ?? 0) > 1000 * seconds) {
      maintenance.postpone('The time for measurements is used up.');
      break;
    }
    decided.follow(maintenance);
    logGroup(entries, isCheck ? `Check of ${task}` : task, group, placeOf);
    const summary = yield* runStage(stageOf(stage, { task, isCheck }, ids), context, entries.log);
    durations.set(kind, Date.now() - begun);
    if (isCheck) {
      const { outcomes, reasons } = yield* ask({ kind: 'checks', task, targets: ids });
      const passed = new Set(summary.passed);
      for (const action of group) {
        const { target } = placeOf(action.node);
        // A check that could not be measured to its end says nothing about the value.
        const outcome = (passed.has(target) ? outcomes[target] : undefined) ?? 'bad_data';
        const reason = passed.has(target) ? reasons?.[target] : failureOf(target, summary);
        checked.push({ task, target, outcome });
        maintenance.apply(action, { kind: 'checked', outcome, ...(reason !== undefined && { reason }) });
      }
      continue;
    }
    const { changed } = yield* ask({ kind: 'changes', task, targets: ids });
    measured.push(...group.map(({ node }) => placeOf(node)));
    for (const action of group) {
      maintenance.apply(action, outcomeOf(placeOf(action.node).target, summary, changed));
    }
  }

  decided.follow(maintenance);
  decided.end(maintenance);
  return finished(maintenance, { checked, measured, placeOf, entries });
}

/** The nodes of the planner: each task on each of its targets. */
function nodesOf(
  { tasks, not_holding }: MaintenanceAnswer,
  targets: readonly string[],
  { couplings }: FlowContext,
): MaintainNode[] {
  const isCoupling = new Set(couplings);
  const wrong = new Map(not_holding.map((each) => [`${each.task} ${each.target}`, each]));
  const withCheck = new Set(tasks.flatMap(({ name, has_check }) => (has_check ? name : [])));
  const canCheck = (id: string) => {
    const [task = ''] = id.split(' ');
    return withCheck.has(task) && (wrong.get(id)?.is_known ?? true);
  };
  return tasks.flatMap(({ name, type, depends_on, refined_by = [] }) =>
    targets
      .filter((target) => isCoupling.has(target) === (type === 'coupling'))
      .map((target): MaintainNode => {
        const id = `${name} ${target}`;
        const { reason = 'It holds.', retry_at = null } = wrong.get(id) ?? {};
        return {
          id,
          task: name,
          target,
          holds: !wrong.has(id),
          reason,
          retryAt: retry_at,
          checkSeconds: canCheck(id) ? 0 : null,
          seconds: 0,
          dependsOn: depends_on.map((each) => `${each.task} ${targetOf(target, each.role)}`),
          refinedBy: refiningNodes(refined_by, { target, canCheck }),
        };
      }),
  );
}

function stageOf(
  { order, ...rest }: StageRequest,
  { task, isCheck }: { task: string; isCheck: boolean },
  targets: string[],
): StageRequest {
  const wanted = rest.tasks.filter(({ name }) => name === task).slice(0, 1);
  return {
    ...rest,
    ...(order && { order }),
    name: isCheck ? `Check: ${task}` : `Maintenance: ${task}`,
    tasks: isCheck ? wanted.map((each) => ({ ...each, check: true })) : wanted,
    targets,
  };
}

function logGroup(
  { log }: Pick<Entries, 'log'>,
  task: string,
  group: readonly MaintainAction[],
  placeOf: (id: string) => { target: string },
): void {
  const byReason = new Map<string, string[]>();
  for (const { node, reason } of group) {
    byReason.set(reason, [...(byReason.get(reason) ?? []), placeOf(node).target]);
  }
  for (const [reason, ids] of byReason) log(`${task} on ${listed(ids)}: ${reason}`);
}

function outcomeOf(target: string, summary: StageSummary, changed: readonly string[]): MaintainOutcome {
  if (summary.passed.includes(target)) return { kind: 'calibrated', changed: changed.includes(target) };
  return { kind: 'failed', message: failureOf(target, summary) };
}

function failureOf(target: string, { failures }: StageSummary): string {
  return failures.find((each) => each.target === target)?.message ?? 'It did not complete.';
}

/** Records what could not be repaired or was postponed, and returns the result. */
function finished(
  maintenance: Maintenance,
  {
    checked,
    measured,
    placeOf,
    entries,
  }: {
    checked: MaintainSummary['checked'];
    measured: MaintainSummary['measured'];
    placeOf(id: string): { task: string; target: string };
    entries: Pick<Entries, 'log' | 'record'>;
  },
): MaintainSummary {
  const { holds, notRepaired, postponed } = maintenance.result();
  const summary: MaintainSummary = {
    holds: holds.length,
    checked,
    measured,
    not_repaired: notRepaired.map(({ node, reason }) => ({ ...placeOf(node), reason })),
    postponed: postponed.map(placeOf),
  };
  for (const { task, target, reason } of summary.not_repaired) {
    entries.log(`${task} on ${target} could not be repaired: ${reason}`);
  }
  entries.record('maintenance', {
    holds: summary.holds,
    checked: checked.length,
    measured: measured.length,
    not_repaired: summary.not_repaired.length,
    postponed: summary.postponed.length,
    first_not_repaired: summary.not_repaired.slice(0, LISTED).map(({ task, target }) => `${task} ${target}`),
  });
  return summary;
}
