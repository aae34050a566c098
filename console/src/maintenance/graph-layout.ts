/** The fields of a task that determine its position. */
interface GraphTask {
  task_name: string;
  depends_on: readonly string[];
}

export interface PlacedTask {
  name: string;
  /** Length of the longest chain of shown tasks that it depends on. */
  column: number;
  /** Position within the column, from 0. */
  row: number;
}

export interface GraphLayout {
  tasks: PlacedTask[];
  /** From a task to one that depends on it, directly or through tasks that are not shown. */
  arrows: { from: string; to: string }[];
  columns: number;
  rows: number;
}

/**
 * Places the shown tasks of a graph in columns: each task to the right of everything that it depends on, in a row near it.
 * @param all the tasks in topological order: each one after those that it depends on
 */
export function layoutOf<Task extends GraphTask>(
  all: readonly Task[],
  isShown: (task: Task) => boolean,
): GraphLayout {
  const byName = new Map(all.map((task) => [task.task_name, task]));
  const shown = all.filter(isShown);
  const names = new Set(shown.map(({ task_name }) => task_name));
  const nearest = (task: GraphTask): string[] =>
    task.depends_on.flatMap((name) => {
      const before = byName.get(name);
      return names.has(name) ? [name] : before ? nearest(before) : [];
    });
  const placed = new Map<string, PlacedTask>();
  const arrows: GraphLayout['arrows'] = [];
  const columns: PlacedTask[][] = [];
  for (const task of shown) {
    const name = task.task_name;
    const before = [...new Set(nearest(task))];
    arrows.push(...before.map((from) => ({ from, to: name })));
    const column = 1 + Math.max(-1, ...before.flatMap((each) => placed.get(each)?.column ?? []));
    const place = { name, column, row: 0 };
    placed.set(name, place);
    columns[column] = [...(columns[column] ?? []), place];
  }
  for (const column of columns) sortRows(column, arrows, placed);
  return {
    tasks: [...placed.values()],
    arrows,
    columns: columns.length,
    rows: Math.max(0, ...columns.map(({ length }) => length)),
  };
}

/** Orders the tasks of a column by the mean row of what they depend on. */
function sortRows(
  column: readonly PlacedTask[],
  arrows: GraphLayout['arrows'],
  placed: ReadonlyMap<string, PlacedTask>,
): void {
  const meanRow = ({ name }: PlacedTask): number => {
    const rows = arrows.flatMap(({ from, to }) => (to === name ? (placed.get(from)?.row ?? []) : []));
    return rows.length === 0 ? 0 : rows.reduce((sum, row) => sum + row, 0) / rows.length;
  };
  const sorted = column
    .map((place) => ({ place, mean: meanRow(place) }))
    .sort((one, other) => one.mean - other.mean);
  for (const [row, { place }] of sorted.entries()) place.row = row;
}
