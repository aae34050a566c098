import { unknownTask } from '../../kernel/near-names.ts';
import type { JsonValue, RunParameterValue } from '../flows/model.ts';
import { FLOW_LIMITS } from '../flows/rules.ts';
import type { ScheduleNode } from './model.ts';

/** The target type and the run parameters of a task, from the catalog. */
export interface MenuTask {
  name: string;
  taskType: 'global' | 'qubit' | 'coupling' | 'system';
  run_parameters: Record<string, RunParameterValue>;
}

/** One stage of a menu's run, as its flow requests it. */
export type MenuStage = {
  name: string;
  tasks: { name: string; run_parameters: Record<string, RunParameterValue> }[];
  schedule: Schedule;
} & Record<string, JsonValue>;

/** Targets measured one after the other. */
type Lane = string[];
/** Parallel lanes. */
type Step = Lane[];
type Schedule = Step[];

type Kind = 'qubit' | 'coupling';
const kindOf = (target: string): Kind => (target.includes('-') ? 'coupling' : 'qubit');

/** Maximum characters of a stage's name. */
const NAME_LENGTH = 100;
/** Maximum number of targets named in a message. */
const NAMED_TARGETS = 5;
/** Maximum number of stages and tasks of one run. */
const { commands: MAX_STAGES, runTasks: MAX_TASKS } = FLOW_LIMITS;

/**
 * The stages that carry out a menu, in order, and the problems of the menu. A stage measures targets of one kind, each
 * once. A menu therefore has several stages if its schedule names both qubits and couplings, or a target repeatedly.
 *
 * Parts of a serial node run one after the other. Parts of a parallel node run side by side in steps: the next step
 * starts when every part has finished the one before. The targets of a batch form one step.
 */
export function stagesOf(
  name: string,
  schedule: ScheduleNode,
  tasks: readonly MenuTask[],
): { stages: MenuStage[]; problems: string[] } {
  const count = targetCount(schedule);
  const measured = count * Math.max(1, tasks.length);
  if (measured > MAX_TASKS) {
    const problem = `a run holds at most ${MAX_TASKS} tasks, this one would have ${measured}`;
    return { stages: [], problems: [problem] };
  }
  const steps = stepsOf(schedule);
  const problems = [...doubleTargets(steps), ...(count === 0 ? ['its schedule names no target'] : [])];
  if (tasks.length === 0) problems.push('it has no tasks');
  const parts: { kind: Kind; schedule: Schedule; targets: Set<string> }[] = [];
  for (const step of steps) {
    for (const kind of ['qubit', 'coupling'] as const) {
      const lanes = step.filter((lane) => kindOf(lane[0] ?? '') === kind);
      if (lanes.length === 0) continue;
      const last = parts.at(-1);
      const again = lanes.flat().some((target) => last?.targets.has(target));
      const part =
        last && last.kind === kind && !again ? last : { kind, schedule: [], targets: new Set<string>() };
      if (part !== last) parts.push(part);
      part.schedule.push(lanes);
      for (const target of lanes.flat()) part.targets.add(target);
    }
  }
  for (const kind of new Set(parts.map((part) => part.kind))) {
    if (tasks.length === 0 || tasksFor(kind, tasks).length > 0) continue;
    const targets = parts.flatMap((part) => (part.kind === kind ? [...part.targets] : []));
    problems.push(`its schedule names ${listed(targets)}, but none of its tasks measures ${kind}s`);
  }
  if (parts.length > MAX_STAGES) {
    problems.push(`a run has at most ${MAX_STAGES} stages, this one would have ${parts.length}`);
  }
  const stages = parts.map((part, index) => {
    const numbered = parts.length > 1 ? ` ${index + 1}` : '';
    return {
      name: `${name.slice(0, NAME_LENGTH - numbered.length)}${numbered}`,
      tasks: tasksFor(part.kind, tasks).map(({ name, run_parameters }) => ({ name, run_parameters })),
      schedule: part.schedule,
    };
  });
  return { stages, problems };
}

/** The tasks for a kind of target. Tasks that measure the whole chip, or nothing, are included for every kind. */
function tasksFor(kind: Kind, tasks: readonly MenuTask[]): MenuTask[] {
  const other = kind === 'qubit' ? 'coupling' : 'qubit';
  return tasks.filter(({ taskType }) => taskType !== other);
}

/** Messages about task names that are not in the catalog. */
export function unknownTaskProblems(tasks: readonly string[], known: readonly string[]): string[] {
  const names = new Set(known);
  const unknown = [...new Set(tasks)].filter((task) => !names.has(task));
  return unknown.slice(0, NAMED_TARGETS).map((task) => unknownTask(task, known));
}

function targetCount(node: ScheduleNode): number {
  if (typeof node === 'string') return 1;
  if ('batch' in node) return node.batch.length;
  const parts = 'serial' in node ? node.serial : node.parallel;
  return parts.reduce((sum, part) => sum + targetCount(part), 0);
}

function stepsOf(node: ScheduleNode): Schedule {
  if (typeof node === 'string') return [[[node]]];
  if ('batch' in node) return node.batch.length === 0 ? [] : [node.batch.map((target) => [target])];
  if ('serial' in node) return joined(node.serial.flatMap(stepsOf));
  const steps: Schedule = [];
  for (const part of node.parallel) {
    for (const [index, step] of stepsOf(part).entries()) {
      const beside = steps[index];
      if (beside) beside.push(...step);
      else steps.push([...step]);
    }
  }
  return steps;
}

/** Merges consecutive steps of one lane each into one step, because that lane has no other lanes to wait for. */
function joined(steps: Schedule): Schedule {
  const result: Schedule = [];
  let last: { lane: Lane; kind: Kind; targets: Set<string> } | undefined;
  for (const step of steps) {
    const [single = [], ...others] = step;
    const kind = kindOf(single[0] ?? '');
    const open = last;
    if (others.length > 0) {
      last = undefined;
      result.push(step);
    } else if (open?.kind === kind && !single.some((target) => open.targets.has(target))) {
      open.lane.push(...single);
      for (const target of single) open.targets.add(target);
    } else {
      last = { lane: [...single], kind, targets: new Set(single) };
      result.push([last.lane]);
    }
  }
  return result;
}

function doubleTargets(steps: Schedule): string[] {
  return steps.flatMap((step) => {
    const seen = new Set<string>();
    const double = new Set<string>();
    for (const target of step.flat()) (seen.has(target) ? double : seen).add(target);
    return double.size === 0 ? [] : [`parts that go side by side share ${listed([...double])}`];
  });
}

function listed(targets: readonly string[]): string {
  const more = targets.length > NAMED_TARGETS ? ` and ${targets.length - NAMED_TARGETS} more` : '';
  return `${targets.slice(0, NAMED_TARGETS).join(', ')}${more}`;
}
