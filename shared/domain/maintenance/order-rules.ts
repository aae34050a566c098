/** The order in which a chip is calibrated, which decides which measurement of a value another task depends on. */
import { parameterOf } from '../../tasks/coupling-roles.ts';
import type { TaskCategory, TaskDefinition } from '../../tasks/model.ts';
import type { TargetKind } from '../chips/model.ts';

/** From coarse to fine; benchmarks come last. */
const CATEGORIES: readonly TaskCategory[] = [
  'Box Setup',
  'CW Measurements',
  '1Q Coarse',
  '1Q Fine',
  'Measurement',
  '2Q Calibration',
  'Lab',
  'Benchmarking',
];

/** Whose value a task reads, as its target sees it. */
export const dependenceRoles = ['own', 'control', 'target', 'coupling'] as const;
export type DependenceRole = (typeof dependenceRoles)[number];

/** A value that a task reads, with the role of the target that it belongs to. */
interface ReadValue {
  kind: TargetKind;
  parameter: string;
  role: DependenceRole;
}

/** The fields of a task that determine its position. */
export type OrderedTask = Pick<TaskDefinition, 'name' | 'taskType' | 'category' | 'inputs' | 'outputs'>;

/** Kind of target whose values a task writes. */
export function kindWritten({ taskType }: Pick<TaskDefinition, 'taskType'>): TargetKind {
  return taskType === 'coupling' ? 'coupling' : 'qubit';
}

/** A value of a kind of target: `qubit/t1`. */
export function valueKey(kind: TargetKind, parameter: string): string {
  return `${kind}/${parameter}`;
}

/** The values that a task reads. */
export function readsOf(task: OrderedTask): ReadValue[] {
  return Object.entries(task.inputs).map(([name, input]) => {
    const role = input.from ?? 'own';
    const kind: TargetKind = role === 'own' ? kindWritten(task) : role === 'coupling' ? 'coupling' : 'qubit';
    return { kind, parameter: parameterOf(name, input), role };
  });
}

/**
 * The tasks from coarse to fine: qubits before couplings, by category, then as declared. A task that a laboratory declares
 * comes with the first task of the catalog that reads what only it finds, if there is one. Within a category a task moves
 * behind those that find what it reads, if possible.
 */
export function inOrderOfCalibration<Task extends OrderedTask>(tasks: readonly Task[]): Task[] {
  const groups = new Map<number, Task[]>();
  const shipped = tasks.filter(({ category }) => category !== 'Lab');
  const found = new Set(shipped.flatMap(writesOf));
  for (const task of tasks) {
    const missing = task.category === 'Lab' ? writesOf(task).filter((key) => !found.has(key)) : [];
    const readers = shipped.filter((other) => readKeysOf(other).some((key) => missing.includes(key)));
    const place = Math.min(placeOf(task), ...readers.map(placeOf));
    groups.set(place, [...(groups.get(place) ?? []), task]);
  }
  return [...groups].sort(([a], [b]) => a - b).reduce<Task[]>((done, [, group]) => placed(group, done), []);
}

function placeOf({ taskType, category }: OrderedTask): number {
  return (taskType === 'coupling' ? CATEGORIES.length : 0) + CATEGORIES.indexOf(category);
}

/** Adds the tasks of a category to those before it. A task waits while others are the only producers of its inputs. */
function placed<Task extends OrderedTask>(group: readonly Task[], before: readonly Task[]): Task[] {
  const done = [...before];
  const known = new Set(before.flatMap(writesOf));
  let left = [...group];
  while (left.length > 0) {
    const next = left.find((task) => !waitsForOthers(task, left, known)) ?? left[0];
    if (next === undefined) break;
    done.push(next);
    for (const key of writesOf(next)) known.add(key);
    left = left.filter((task) => task !== next);
  }
  return done;
}

function waitsForOthers(
  task: OrderedTask,
  left: readonly OrderedTask[],
  known: ReadonlySet<string>,
): boolean {
  const missing = readKeysOf(task).filter((key) => !known.has(key));
  const others = new Set(left.filter((other) => other !== task).flatMap(writesOf));
  return missing.some((key) => others.has(key) && !writesOf(task).includes(key));
}

function readKeysOf(task: OrderedTask): string[] {
  return readsOf(task).map(({ kind, parameter }) => valueKey(kind, parameter));
}

function writesOf(task: OrderedTask): string[] {
  return Object.keys(task.outputs).map((parameter) => valueKey(kindWritten(task), parameter));
}
