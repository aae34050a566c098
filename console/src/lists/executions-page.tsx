import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { api, dataOf } from '../api.ts';
import { useChip } from '../chip/chip-data.ts';
import { isOver } from '../run/run-state.ts';
import { useProjectId } from '../session.tsx';
import { Choice } from '../ui/choice.tsx';
import { Empty, Problem, Waiting } from '../ui/feedback.tsx';
import { Ago, Took } from '../ui/numbers.tsx';
import { Paging } from '../ui/paging.tsx';

const PAGE = 50;
const POLL_MS = 5000;
const STATUSES = ['scheduled', 'running', 'completed', 'failed', 'cancelled'] as const;
const ALL = 'all';

/** The runs of the chip, newest first. */
export function ExecutionsPage() {
  const chip = useChip();
  const projectId = useProjectId();
  const search = useSearch({ from: '/executions' });
  const navigate = useNavigate({ from: '/executions' });
  const status = STATUSES.find((each) => each === search.status);
  const skip = search.skip ?? 0;
  const executions = useQuery({
    queryKey: ['executions', projectId, chip?.chip_id, status, skip],
    queryFn: () =>
      dataOf(
        api.GET('/executions', {
          params: { query: { chip_id: chip?.chip_id ?? '', limit: PAGE, skip, ...(status && { status }) } },
        }),
      ),
    enabled: chip !== undefined,
    refetchInterval: POLL_MS,
    placeholderData: (previous) => previous,
  });
  if (!chip) return null;
  if (executions.error) return <Problem error={executions.error} />;
  if (!executions.data) return <Waiting title="Executions" />;
  const { executions: rows, total } = executions.data;
  return (
    <main className="page">
      <div className="controls">
        <h1>Executions of {chip.chip_id}</h1>
        <Choice
          label="Status"
          value={status ?? ALL}
          options={[{ id: ALL, text: 'All' }, ...STATUSES.map((each) => ({ id: each, text: each }))]}
          onChange={(id) =>
            void navigate({
              search: (now) => ({ ...now, status: id === ALL ? undefined : id, skip: undefined }),
            })
          }
        />
        <span className="muted">{total} in all</span>
      </div>
      {rows.length === 0 ? (
        <Empty title={status ? `No execution is ${status}` : 'Nothing was run yet'}>
          <p>
            <Link to="/start">Start a run</Link> to calibrate the chip.
          </p>
        </Empty>
      ) : (
        <table className="list">
          <thead>
            <tr>
              <th scope="col">Run</th>
              <th scope="col">Status</th>
              <th scope="col">Started</th>
              <th scope="col" className="right">
                Took
              </th>
              <th scope="col">By</th>
              <th scope="col">Outcome</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.execution_id}>
                <th scope="row">
                  <Link
                    to="/execution/$chipId/$executionId"
                    params={{ chipId: chip.chip_id, executionId: row.execution_id }}
                    search={(now) => ({ project: now.project, chip: now.chip })}
                  >
                    {row.name || row.execution_id}
                  </Link>{' '}
                  {!row.name?.includes(row.execution_id) && <span className="muted">{row.execution_id}</span>}
                </th>
                <td>
                  <span className={`status ${row.status}`}>
                    {isOver(row.status) ? row.status : row.flow_run_state.toLowerCase()}
                  </span>
                </td>
                <td>
                  <Ago time={row.start_at} />
                </td>
                <td className="right number">
                  <Took from={row.start_at} to={row.end_at} />
                </td>
                <td>{row.username}</td>
                <td className="muted">{row.message}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <Paging
        back="Newer"
        on="Older"
        skip={skip}
        page={PAGE}
        total={total}
        onSkip={(next) => void navigate({ search: (now) => ({ ...now, skip: next }) })}
      />
    </main>
  );
}
