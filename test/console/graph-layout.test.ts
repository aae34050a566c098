import { expect, test } from 'vitest';
import { layoutOf } from '../../console/src/maintenance/graph-layout.ts';

const task = (task_name: string, ...depends_on: string[]) => ({ task_name, depends_on });
const all = [task('a'), task('b', 'a'), task('c', 'b'), task('d', 'a', 'c'), task('e')];

test('each task is to the right of all that it depends on, and no two share a place', () => {
  const { tasks, arrows, columns, rows } = layoutOf(all, () => true);
  const column = new Map(tasks.map((each) => [each.name, each.column]));
  expect([...column]).toEqual(Object.entries({ a: 0, b: 1, c: 2, d: 3, e: 0 }));
  for (const { from, to } of arrows) expect(column.get(from)).toBeLessThan(column.get(to) ?? 0);
  expect(new Set(tasks.map((each) => `${each.column} ${each.row}`)).size).toBe(tasks.length);
  expect({ columns, rows }).toEqual({ columns: 4, rows: 2 });
});

test('what depends on a task by way of hidden ones is connected with it', () => {
  const { arrows } = layoutOf(all, ({ task_name }) => task_name !== 'b');
  expect(arrows).toEqual([
    { from: 'a', to: 'c' },
    { from: 'a', to: 'd' },
    { from: 'c', to: 'd' },
  ]);
});

test('a graph without a task that is shown is empty', () => {
  expect(layoutOf(all, () => false)).toEqual({ tasks: [], arrows: [], columns: 0, rows: 0 });
});
