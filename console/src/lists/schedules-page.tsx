import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Button } from 'react-aria-components';
import { api, dataOf, type Schemas } from '../api.ts';
import { useProjectId, useSession } from '../session.tsx';
import { Confirm } from '../ui/ask.tsx';
import { Empty, Problem, Waiting } from '../ui/feedback.tsx';
import { Ago } from '../ui/numbers.tsx';

const LISTED = 100;
const POLL_MS = 10_000;

/** The schedules of flows: upcoming ones first, then paused ones, then those that are over. */
export function SchedulesPage() {
  const projectId = useProjectId();
  const { mayWrite } = useSession();
  const client = useQueryClient();
  const schedules = useQuery({
    queryKey: ['schedules', projectId, 'all'],
    queryFn: () => dataOf(api.GET('/flows/schedules', { params: { query: { limit: LISTED } } })),
    refetchInterval: POLL_MS,
  });
  const changing = useMutation({
    mutationFn: async ({ id, active }: { id: string; active: boolean }) => {
      const params = { path: { schedule_id: id } };
      await api.PATCH('/flows/schedules/{schedule_id}', { params, body: { active } });
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['schedules', projectId] }),
  });
  const remove = async (schedule_id: string) => {
    await api.DELETE('/flows/schedules/{schedule_id}', { params: { path: { schedule_id } } });
    await client.invalidateQueries({ queryKey: ['schedules', projectId] });
  };
  if (schedules.error) return <Problem error={schedules.error} />;
  if (!schedules.data) return <Waiting title="Schedules" />;
  const rows = schedules.data.schedules;
  if (rows.length === 0) {
    return (
      <main className="page">
        <Empty title="Nothing is scheduled">
          <p>
            <Link to="/start">Choose a flow</Link> and let it run once at a time, or again and again.
          </p>
        </Empty>
      </main>
    );
  }
  return (
    <main className="page">
      <h1>Schedules</h1>
      {changing.error && <Problem error={changing.error} />}
      <table className="list">
        <thead>
          <tr>
            <th scope="col">Flow</th>
            <th scope="col">When</th>
            <th scope="col">Next run</th>
            <th scope="col">Last time</th>
            <th scope="col">In the name of</th>
            {mayWrite && <th scope="col">Change</th>}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.schedule_id}>
              <th scope="row">
                {row.flow_name}
                <HowShared row={row} />
              </th>
              <td>
                {row.cron ?? 'once'} <span className="muted">{row.timezone}</span>
              </td>
              <td>{row.next_run ? <NextRun {...{ row }} time={row.next_run} /> : <NotComing row={row} />}</td>
              <td className="muted">
                {row.last_outcome ? (
                  <span title={row.last_outcome.message}>
                    {row.last_outcome.status} <Ago time={row.last_outcome.at} />
                  </span>
                ) : (
                  '–'
                )}
              </td>
              <td>{row.runs_as}</td>
              {mayWrite && (
                <td>
                  <div className="buttons">
                    {(row.cron !== null || row.next_run !== null || !row.active) && (
                      <Button
                        aria-label={`${row.active ? 'Pause' : 'Resume'} ${row.flow_name}`}
                        isPending={changing.isPending}
                        onPress={() => changing.mutate({ id: row.schedule_id, active: !row.active })}
                      >
                        {row.active ? 'Pause' : 'Resume'}
                      </Button>
                    )}
                    <Confirm
                      text="Delete"
                      label={`Delete the schedule of ${row.flow_name}`}
                      question={`Delete the schedule of ${row.flow_name}?`}
                      onConfirm={() => remove(row.schedule_id)}
                    >
                      <p>It starts no further run. Runs that it has started stay. It cannot be restored.</p>
                    </Confirm>
                  </div>
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </main>
  );
}

/** In the zone of the schedule, in which its cron is written. */
function NextRun({ row, time }: { row: Schemas['Schedule']; time: string }) {
  const shown = new Intl.DateTimeFormat('en-GB', {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    timeZone: row.timezone,
  });
  return (
    <>
      {shown.format(new Date(time))}{' '}
      <span className="muted">
        <Ago time={time} />
      </span>
    </>
  );
}

/** Only what differs from most runs. */
function HowShared({ row }: { row: Schemas['Schedule'] }) {
  const parts = [
    ...(row.priority > 0 ? [`priority ${row.priority}`] : []),
    ...(row.allow_preemption ? ['lets more urgent runs in between'] : []),
  ];
  return parts.length === 0 ? null : <div className="muted hint">{parts.join(', ')}</div>;
}

function NotComing({ row }: { row: Schemas['Schedule'] }) {
  if (row.active) return <span className="muted">over</span>;
  return <span className="muted">paused{row.paused_reason && `: ${row.paused_reason}`}</span>;
}
