import { memo, useMemo, useRef } from 'react';
import type { Schemas } from '../api.ts';
import { stateOf, states } from '../colours.ts';
import { isCoupling } from '../targets.ts';
import { useVisibleRows } from '../ui/visible-rows.ts';
import type { RunTask } from './run-state.ts';

interface MatrixProps {
  stages: readonly Schemas['ExecutionStage'][];
  tasks: readonly RunTask[];
  chosen: string | undefined;
  onChoose(taskId: string): void;
}

/** Height of a row in pixels, as the style says. */
const ROW_HEIGHT = 22;

/** Tasks × targets, one table for each stage. */
export function Matrix({ stages, tasks, chosen, onChoose }: MatrixProps) {
  const groups = useMemo(() => groupsOf(stages, tasks), [stages, tasks]);
  if (groups.length === 0) return <p className="muted">Nothing was measured yet.</p>;
  return groups.map((group) => (
    <section key={group.id} className="stage">
      <h2>
        {group.title} <span className="muted">{group.counts}</span>
      </h2>
      <div className="scrolling">
        <StageTable group={group} chosen={chosen} onChoose={onChoose} />
      </div>
    </section>
  ));
}

interface StageTableProps {
  group: Group;
  chosen: string | undefined;
  onChoose(taskId: string): void;
}

/** The targets of a stage. Only those on the screen are drawn: a chip may have a thousand. */
function StageTable({ group: { title, columns, rows }, chosen, onChoose }: StageTableProps) {
  const place = useRef<HTMLTableSectionElement>(null);
  const { from, to } = useVisibleRows(place, rows.length, ROW_HEIGHT);
  return (
    <table className="matrix" aria-label={title} aria-rowcount={rows.length + 1}>
      <thead>
        <tr aria-rowindex={1}>
          <th scope="col">Target</th>
          {columns.map((name) => (
            <th key={name} scope="col">
              <span>{name}</span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody ref={place}>
        <Gap rows={from} />
        {rows.slice(from, to).map(({ target, cells }, index) => (
          <tr key={target} aria-rowindex={from + index + 2}>
            <th scope="row">{target}</th>
            {columns.map((name) => {
              const task = cells.get(name);
              return (
                <td key={name}>
                  {task?.task_id !== undefined && (
                    <Cell
                      taskId={task.task_id}
                      status={task.status ?? ''}
                      label={`${name} on ${target}`}
                      message={task.message ?? ''}
                      isChosen={task.task_id === chosen}
                      onChoose={onChoose}
                    />
                  )}
                </td>
              );
            })}
          </tr>
        ))}
        <Gap rows={rows.length - to} />
      </tbody>
    </table>
  );
}

/** The place of rows that are not drawn. */
function Gap({ rows }: { rows: number }) {
  if (rows <= 0) return null;
  return <tr style={{ height: rows * ROW_HEIGHT }} />;
}

interface CellProps {
  taskId: string;
  status: string;
  label: string;
  message: string;
  isChosen: boolean;
  onChoose(taskId: string): void;
}

const Cell = memo(
  function Cell({ taskId, status, label, message, isChosen, onChoose }: CellProps) {
    const state = stateOf(status);
    return (
      <button
        type="button"
        className={`cell ${state}`}
        aria-pressed={isChosen}
        aria-label={`${label}: ${states[state].title}`}
        title={state === 'failed' ? `${label}: ${message}` : `${label}: ${states[state].title}`}
        onClick={() => onChoose(taskId)}
      >
        {states[state].sign}
      </button>
    );
  },
  // The function to call is another one at each drawing, and does the same.
  (before, now) =>
    before.status === now.status &&
    before.isChosen === now.isChosen &&
    before.taskId === now.taskId &&
    before.message === now.message,
);

interface Group {
  id: string;
  title: string;
  counts: string;
  columns: string[];
  rows: { target: string; cells: Map<string, RunTask> }[];
}

/** The tasks by the stage during which they began; of repetitions the last one is shown. */
function groupsOf(stages: readonly Schemas['ExecutionStage'][], tasks: readonly RunTask[]): Group[] {
  const byStage = new Map<number, RunTask[]>();
  for (const task of tasks) {
    const index = stageOf(stages, task);
    const list = byStage.get(index);
    if (list) list.push(task);
    else byStage.set(index, [task]);
  }
  return [...byStage]
    .sort(([one], [other]) => one - other)
    .map(([index, ofStage]) => {
      const stage = stages.find((each) => each.index === index);
      const rows = new Map<string, Map<string, RunTask>>();
      for (const task of ofStage) {
        const cells = rows.get(task.qid ?? '') ?? new Map<string, RunTask>();
        rows.set(task.qid ?? '', cells.set(task.name ?? '', task));
      }
      const used = new Set(ofStage.map(({ name }) => name ?? ''));
      const planned = (stage?.tasks ?? []).filter((name) => used.has(name));
      return {
        id: String(index),
        title: stage?.name || (stage ? `Stage ${index + 1}` : 'Measurements'),
        counts: countsOf(ofStage),
        columns: [...planned, ...[...used].filter((name) => !planned.includes(name))],
        rows: [...rows]
          .map(([target, cells]) => ({ target, cells }))
          .sort((one, other) => orderOf(one.target) - orderOf(other.target)),
      };
    });
}

function stageOf(stages: readonly Schemas['ExecutionStage'][], { start_at, name }: RunTask): number {
  const begun = stages.filter((stage) => stage.tasks.includes(name ?? ''));
  const at = start_at ?? null;
  const fitting = begun.filter((stage) => at === null || stage.start_at <= at);
  return (fitting.at(-1) ?? begun.at(-1))?.index ?? -1;
}

function countsOf(tasks: readonly RunTask[]): string {
  const counts = new Map<string, number>();
  for (const { status } of tasks) {
    const { title } = states[stateOf(status ?? '')];
    counts.set(title, (counts.get(title) ?? 0) + 1);
  }
  return [...counts].map(([title, count]) => `${count} ${title}`).join(', ');
}

function orderOf(target: string): number {
  const [first = 0, second = 0] = target.split('-').map(Number);
  return isCoupling(target) ? 1e6 + first * 2000 + second : first;
}
