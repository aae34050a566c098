import type { TaskDefinition } from './model.ts';
import { didYouMean } from './run-options.ts';

/** Offsets added to the stored values of inputs, in the inputs' units. */
type InputOffsets = Readonly<Record<string, number>>;

type Reader = Pick<TaskDefinition, 'inputs' | 'outputs'>;

/**
 * The offsets of each task in a list. An offset applies to a task's inputs until an earlier task in the list has measured
 * the value, which then needs no offset.
 */
export function offsetsOfTasks(tasks: readonly Reader[], offsets: InputOffsets): Record<string, number>[] {
  const found = new Set<string>();
  return tasks.map(({ inputs, outputs }) => {
    const own = Object.entries(offsets).filter(([name]) => Object.hasOwn(inputs, name) && !found.has(name));
    for (const name of Object.keys(outputs)) found.add(name);
    return Object.fromEntries(own);
  });
}

/** Messages about offsets that apply to no task of the list. */
export function inputOffsetProblems(tasks: readonly Reader[], offsets: InputOffsets): string[] {
  const known = [...new Set(tasks.flatMap(({ inputs }) => Object.keys(inputs)))];
  const reached = new Set(offsetsOfTasks(tasks, offsets).flatMap((own) => Object.keys(own)));
  return Object.keys(offsets)
    .filter((name) => !reached.has(name))
    .map((name) =>
      known.includes(name)
        ? `An offset of ${name} has no effect: the stage measures it again before any of its tasks reads it.`
        : `No task of the stage has an input ${name}${didYouMean(name, known)}`,
    );
}
