import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { api, dataOf } from '../api.ts';
import { useChip } from '../chip/chip-data.ts';
import {
  HoldingLegend,
  HoldingTag,
  type MaintainedValue,
  stateMark,
  useHoldingOfTarget,
} from '../chip/holding.tsx';
import { useProjectId } from '../session.tsx';
import { isCoupling } from '../targets.ts';
import { Empty, Problem, Waiting } from '../ui/feedback.tsx';
import { Ago, Quantity, QuantityHeader } from '../ui/numbers.tsx';
import { layoutOf } from './graph-layout.ts';
import { TaskGraph } from './task-graph.tsx';
import './maintenance.css';

const NO_VALUES: ReadonlyMap<string, MaintainedValue> = new Map();

/** What depends on what on a chip. It changes only with the tasks of the project. */
function useGraph(chipId: string | undefined) {
  const projectId = useProjectId();
  return useQuery({
    queryKey: ['graph', projectId, chipId],
    queryFn: () =>
      dataOf(api.GET('/chips/{chip_id}/maintenance/graph', { params: { path: { chip_id: chipId ?? '' } } })),
    enabled: chipId !== undefined,
  });
}

/** What the values of one qubit or coupling depend on, and which of them hold. */
export function MaintenancePage() {
  const chip = useChip();
  const { target } = useSearch({ from: '/maintenance' });
  if (!chip) return null;
  if (target === undefined) {
    return (
      <Empty title="No qubit is chosen">
        <p>
          <Link to="/">Choose a qubit or a coupling on the chip</Link> to see what its values depend on.
        </p>
      </Empty>
    );
  }
  return <OfTarget key={target} chipId={chip.chip_id} target={target} />;
}

function OfTarget({ chipId, target }: { chipId: string; target: string }) {
  const { task: chosen } = useSearch({ from: '/maintenance' });
  const navigate = useNavigate({ from: '/maintenance' });
  const graph = useGraph(chipId);
  const holding = useHoldingOfTarget(chipId, target);
  const found = useMemo(() => valuesByTask(holding.data ?? NO_VALUES), [holding.data]);
  const layout = useMemo(() => {
    const kind = isCoupling(target) ? 'coupling' : 'qubit';
    return layoutOf(
      graph.data?.tasks ?? [],
      ({ task_name, task_type }) =>
        (task_type === 'coupling') === (kind === 'coupling') && found.has(task_name),
    );
  }, [graph.data, found, target]);
  const error = graph.error ?? holding.error;
  if (error) return <Problem error={error} />;
  if (!graph.data || !holding.data) return <Waiting title="Maintenance" />;
  const values = [...found.values()].flat();
  return (
    <main className="page maintenance">
      <div className="controls">
        <h1>
          What the values of {isCoupling(target) ? 'coupling' : 'qubit'} {target} depend on
        </h1>
        <Link to="/" search={(now) => ({ ...now, target })}>
          Back to the chip
        </Link>
      </div>
      {values.length === 0 ? (
        <p className="muted">No task has found a value of it yet.</p>
      ) : (
        <>
          <HoldingLegend values={values} />
          <TaskGraph
            layout={layout}
            found={found}
            chosen={chosen}
            onChoose={(task) =>
              void navigate({
                search: (now) => ({ ...now, task: task === chosen ? undefined : task }),
                replace: true,
              })
            }
          />
          <ValueTable target={target} values={chosen ? (found.get(chosen) ?? []) : values} task={chosen} />
        </>
      )}
    </main>
  );
}

/** The values that each task found last. */
function valuesByTask(values: ReadonlyMap<string, MaintainedValue>): Map<string, MaintainedValue[]> {
  const byTask = new Map<string, MaintainedValue[]>();
  for (const value of values.values()) {
    if (value.task_name === null || value.refinement === 0) continue;
    byTask.set(value.task_name, [...(byTask.get(value.task_name) ?? []), value]);
  }
  return byTask;
}

interface ValueTableProps {
  target: string;
  values: readonly MaintainedValue[];
  /** The task that found them; undefined for those of all tasks. */
  task: string | undefined;
}

function ValueTable({ target, values, task }: ValueTableProps) {
  return (
    <section>
      <h2>{task === undefined ? 'All values' : `Found by ${task}`}</h2>
      <table className="list">
        <thead>
          <tr>
            <th scope="col">Parameter</th>
            <QuantityHeader>Value</QuantityHeader>
            <th scope="col">Task</th>
            <th scope="col">Found</th>
            <th scope="col">Due</th>
            <th scope="col">State and reason</th>
          </tr>
        </thead>
        <tbody>
          {values.map((value) => (
            <tr key={value.parameter_name}>
              <td>
                <HoldingTag value={value} />{' '}
                <Link
                  to="/"
                  search={(now) => ({ ...now, target, tab: 'history', parameter: value.parameter_name })}
                >
                  {value.parameter_name}
                </Link>
              </td>
              <td className="right">
                {typeof value.value === 'number' ? (
                  <Quantity value={value.value} error={value.error} unit={value.unit} />
                ) : (
                  (value.value ?? '–')
                )}
              </td>
              <td>{value.task_name}</td>
              <td className="muted">
                <Ago time={value.found_at} />
              </td>
              <td className="muted">
                <Ago time={value.due_at} />
              </td>
              <td>
                {stateMark(value.state).title}. <span className="muted">{value.reason}</span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
