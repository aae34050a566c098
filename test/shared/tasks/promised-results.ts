import { expect } from 'vitest';
import { type Figure, figure } from '../../../shared/science/figures/model.ts';
import type { analyse } from '../../../shared/tasks/analyses.ts';
import { gate } from '../../../shared/tasks/gates.ts';
import type { TaskDefinition } from '../../../shared/tasks/model.ts';

/**
 * Expects that a result is accepted and has every output of its task.
 * @returns its figures, which are valid and as many as in the catalog
 */
export function promisedFigures(
  { task }: { task: TaskDefinition },
  analysis: ReturnType<typeof analyse>,
): readonly Figure[] {
  expect(gate(task, analysis)).toBeNull();
  expect(Object.keys(analysis.outputs).sort()).toEqual(Object.keys(task.outputs).sort());
  expect(analysis.figures).toHaveLength(task.figures.length);
  for (const drawn of analysis.figures) expect(figure.parse(drawn)).toEqual(drawn);
  return analysis.figures;
}
