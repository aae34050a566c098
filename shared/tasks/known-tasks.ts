import { findTask, taskCatalog } from './catalog.ts';
import type { TaskDefinition } from './model.ts';

/** The tasks that a project can run: those of the catalog, and those that its backends declare. */
export interface KnownTasks {
  /**
   * A task by name. The catalog takes precedence. Two backends may declare different tasks of the same name.
   * @param backend whose declaration is preferred
   */
  find(name: string, backend?: string): TaskDefinition | undefined;
  all: readonly TaskDefinition[];
  names(): string[];
}

/**
 * @param own tasks that backends declare
 * @param inCatalog replaces the lookup in the catalog, for a worker of another release
 */
export function knownTasks(
  own: readonly TaskDefinition[],
  inCatalog: (name: string) => TaskDefinition | undefined = findTask,
): KnownTasks {
  const declared = own.filter(({ name }) => !inCatalog(name));
  const all = [...taskCatalog, ...declared];
  return {
    find(name, backend) {
      const found = inCatalog(name);
      if (found) return found;
      const called = declared.filter((task) => task.name === name);
      return called.find((task) => task.declared?.backend === backend) ?? called[0];
    },
    all,
    names: () => [...new Set(all.map(({ name }) => name))],
  };
}
