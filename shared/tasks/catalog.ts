import { checkRabi } from './catalog/check-rabi.ts';
import { checkT1 } from './catalog/check-t1.ts';
import type { TaskDefinition } from './model.ts';

export { SIMULATOR_BACKEND } from './catalog/backends.ts';

/** Every task that Calibron knows, in the order in which a qubit is calibrated. */
export const taskCatalog: readonly TaskDefinition[] = [checkRabi, checkT1];

const byName = new Map(taskCatalog.map((task) => [task.name, task]));

/** The definition of a task, or undefined when the catalog has no such name. */
export function findTask(name: string): TaskDefinition | undefined {
  return byName.get(name);
}

/** Names of all tasks, in catalog order. */
export function taskNames(): string[] {
  return taskCatalog.map((task) => task.name);
}
