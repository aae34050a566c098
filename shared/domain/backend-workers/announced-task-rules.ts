import { findTask } from '../../tasks/catalog.ts';
import { type OwnTask, readOwnTask } from '../../tasks/own-tasks.ts';
import type { AnnouncedTask, BackendDescription } from './model.ts';

/** Maximum number of tasks that one worker may declare. */
const OWN_TASKS = 100;

/** The tasks of a worker as clients see them, and those of them that it declares and that are accepted. */
export function announcedTasks(given: BackendDescription['tasks']): {
  tasks: AnnouncedTask[];
  own: OwnTask[];
} {
  const own: OwnTask[] = [];
  const tasks = given.map(({ declaration, ...task }): AnnouncedTask => {
    if (declaration === undefined || declaration === null) {
      const isKnown = findTask(task.name) !== undefined;
      const problem = `The catalog has no task ${task.name}, and the worker does not declare it.`;
      return { ...task, declared: false, problem: isKnown ? null : problem };
    }
    const read = readOwnTask(task.name, task.description, declaration);
    const problem = typeof read === 'string' ? read : refusal(read, own);
    if (typeof read !== 'string' && problem === null) own.push(read);
    return { ...task, declared: true, problem };
  });
  return { tasks, own };
}

function refusal({ name }: OwnTask, earlier: readonly OwnTask[]): string | null {
  if (earlier.some((task) => task.name === name)) return `The worker declares ${name} twice.`;
  return earlier.length >= OWN_TASKS ? `A worker declares at most ${OWN_TASKS} tasks.` : null;
}
