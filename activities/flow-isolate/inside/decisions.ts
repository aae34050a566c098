import type { FlowDecisionEntry, MaintenanceAnswer } from '../../../shared/domain/flows/model.ts';
import type {
  MaintainDecision,
  MaintainNode,
  MaintainPhase,
} from '../../../shared/domain/maintenance/maintain-model.ts';
import type { Maintenance } from '../../../shared/domain/maintenance/maintain-rules.ts';
import type { Entries } from './entries.ts';

/** What was known about the values of a node when its maintenance began. */
type KnownValues = Pick<FlowDecisionEntry, 'parameters' | 'state'>;
type Decided = Omit<FlowDecisionEntry, 'kind' | 'index'>;

/** Keeps the decisions of a maintenance: what is known at its start, the decisions after each measurement, and the result. */
export function createDecisionEntries({
  number,
  answer,
  nodes,
  entries,
}: {
  /** Which maintenance of the run it is, from 0. */
  number: number;
  answer: MaintenanceAnswer;
  nodes: ReadonlyMap<string, MaintainNode>;
  entries: Pick<Entries, 'decide'>;
}) {
  const known = knownValues(answer);
  let kept = 0;

  function keep(phase: MaintainPhase, decisions: readonly MaintainDecision[]): void {
    const groups: Decided[] = [];
    for (const { node: id, decision, reason, check } of decisions) {
      const { task = id, target = id } = nodes.get(id) ?? {};
      const decided: Decided = {
        maintenance: number,
        phase,
        task,
        targets: [target],
        ...known(task, target),
        decision,
        reason,
        check: check ? { reason: null, ...check } : null,
      };
      const last = groups.at(-1);
      if (last && isAlike(last, decided)) last.targets.push(target);
      else groups.push(decided);
    }
    for (const group of groups) entries.decide(group);
  }

  return {
    start(maintenance: Pick<Maintenance, 'standing' | 'decisions'>): void {
      keep('start', maintenance.standing());
      kept = maintenance.decisions().length;
    },
    /** Keeps what was decided since the last call. */
    follow(maintenance: Pick<Maintenance, 'decisions'>): void {
      const all = maintenance.decisions();
      keep('run', all.slice(kept));
      kept = all.length;
    },
    end(maintenance: Pick<Maintenance, 'standing'>): void {
      keep('end', maintenance.standing());
    },
  };
}

/** Whether decisions differ in nothing but their targets. */
function isAlike(one: Decided, other: Decided): boolean {
  return (
    one.task === other.task &&
    one.decision === other.decision &&
    one.reason === other.reason &&
    one.state === other.state &&
    one.check?.outcome === other.check?.outcome &&
    one.check?.reason === other.check?.reason &&
    one.parameters.join(' ') === other.parameters.join(' ')
  );
}

function knownValues({ tasks, not_holding }: MaintenanceAnswer) {
  const finds = new Map(tasks.map((task) => [task.name, task.finds ?? []]));
  const wrong = new Map(not_holding.map((each) => [`${each.task} ${each.target}`, each]));
  return (task: string, target: string): KnownValues => {
    const found = wrong.get(`${task} ${target}`);
    if (!found) return { state: 'fresh', parameters: finds.get(task) ?? [] };
    return { state: found.state ?? 'unknown', parameters: found.parameters ?? finds.get(task) ?? [] };
  };
}
