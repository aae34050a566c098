import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { api, dataOf, type operations, type Schemas } from '../api.ts';
import { useChip, useTaskNames } from '../chip/chip-data.ts';
import { stateOf, states } from '../colours.ts';
import { useProjectId } from '../session.tsx';
import { dayOf, momentsOf } from '../ui/day-field.tsx';
import { Empty, Problem, Waiting } from '../ui/feedback.tsx';
import { Ago, Took } from '../ui/numbers.tsx';
import { Paging } from '../ui/paging.tsx';
import { Filters } from './filters.tsx';
import './results.css';

const PAGE = 50;
const POLL_MS = 10_000;

type Query = NonNullable<operations['list_task_results']['parameters']['query']>;
type TaskName = NonNullable<Query['task_name']>;

/** The results of the chip, newest first, by task, target, state and day. */
export function ResultsPage() {
  const chip = useChip();
  const projectId = useProjectId();
  const search = useSearch({ from: '/results' });
  const navigate = useNavigate({ from: '/results' });
  const names = useTaskNames();
  const skip = search.skip ?? 0;
  const query = useMemo(() => {
    const { task, target, state, from, to } = search;
    const isTask = (name: string): name is TaskName => names.includes(name);
    const [first, last] = [dayOf(from), dayOf(to)];
    return {
      ...(task !== undefined && isTask(task) && { task_name: task }),
      ...(target !== undefined && { qid: target }),
      ...(state !== undefined && { status: state }),
      ...(first !== undefined && { start_from: momentsOf(first).from }),
      ...(last !== undefined && { start_to: momentsOf(last).to }),
      skip,
      limit: PAGE,
    } satisfies Query;
  }, [search, names, skip]);
  const results = useQuery({
    queryKey: ['results', projectId, chip?.chip_id, query],
    queryFn: () =>
      dataOf(api.GET('/task-results', { params: { query: { ...query, chip_id: chip?.chip_id ?? '' } } })),
    enabled: chip !== undefined && names.length > 0,
    refetchInterval: POLL_MS,
    placeholderData: (previous) => previous,
  });
  if (!chip) return null;
  const isFiltered = [search.task, search.target, search.state, search.from, search.to].some(Boolean);
  return (
    <main className="page">
      <div className="controls">
        <h1>Results of {chip.chip_id}</h1>
        <Filters
          search={search}
          names={names}
          counts={results.data?.status_counts ?? {}}
          isFiltered={isFiltered}
          onChange={(change) => void navigate({ search: (now) => ({ ...now, skip: undefined, ...change }) })}
        />
      </div>
      {results.error && <Problem error={results.error} />}
      {!results.data && !results.error && <Waiting title="Results" />}
      {results.data && results.data.items.length === 0 && (
        <Empty title={isFiltered ? 'No result is like this' : 'Nothing was measured yet'}>
          <p>
            {isFiltered ? (
              'Choose another task, state or day.'
            ) : (
              <>
                <Link to="/start">Start a run</Link> to calibrate the chip.
              </>
            )}
          </p>
        </Empty>
      )}
      {results.data && results.data.items.length > 0 && (
        <>
          <ResultTable items={results.data.items} />
          <Paging
            back="Newer"
            on="Older"
            skip={skip}
            page={PAGE}
            total={results.data.total}
            onSkip={(next) => void navigate({ search: (now) => ({ ...now, skip: next }) })}
          />
        </>
      )}
    </main>
  );
}

function ResultTable({ items }: { items: readonly Schemas['TaskResultItem'][] }) {
  return (
    <table className="list results-list">
      <thead>
        <tr>
          <th scope="col">Task</th>
          <th scope="col">Target</th>
          <th scope="col">State</th>
          <th scope="col">Started</th>
          <th scope="col" className="right">
            Took
          </th>
          <th scope="col">By</th>
          <th scope="col">Message</th>
        </tr>
      </thead>
      <tbody>
        {items.map((item) => {
          const state = stateOf(item.status);
          return (
            <tr key={item.task_id}>
              <th scope="row">
                <Link
                  to="/execution/$chipId/$executionId"
                  params={{ chipId: item.chip_id, executionId: item.execution_id }}
                  search={(now) => ({ project: now.project, chip: now.chip, task: item.task_id })}
                >
                  {item.task_name}
                </Link>
              </th>
              <td className="number">
                <Link
                  to="/"
                  search={(now) => ({
                    project: now.project,
                    chip: now.chip,
                    target: item.qid,
                    tab: 'figures',
                  })}
                >
                  {item.qid}
                </Link>
              </td>
              <td>
                <span className={`dot ${state}`} aria-hidden="true">
                  {states[state].sign}
                </span>
                {states[state].title}
              </td>
              <td>
                <Ago time={item.start_at} />
              </td>
              <td className="right number">
                <Took from={item.start_at} to={item.end_at} />
              </td>
              <td>{item.username}</td>
              <td className="muted message" title={item.message}>
                {item.message}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
