import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api, dataOf } from '../api.ts';
import { ApprovalList } from '../run/approvals.tsx';
import { useLock } from '../run/lock.ts';
import { RunProgress } from '../run/progress.tsx';
import type { Run } from '../run/run-state.ts';
import { useProjectId, useSession } from '../session.tsx';
import { Opens } from '../ui/ask.tsx';
import { Ago } from '../ui/numbers.tsx';
import { NewChip } from './new-chip.tsx';

const POLL_MS = 10_000;
const FAILURES = 5;
const SOON = 3;

/** Current runs, open questions, upcoming schedules and the latest failures. */
export function Overview({ chipId, run }: { chipId: string; run: Run }) {
  const { mayWrite } = useSession();
  return (
    <>
      <Now chipId={chipId} run={run} />
      <ApprovalList />
      <Next />
      <LastFailures chipId={chipId} />
      {mayWrite && (
        <div className="buttons">
          <Opens text="Add a chip" title="Add a chip">
            {(close) => <NewChip onDone={close} />}
          </Opens>
        </div>
      )}
    </>
  );
}

function Now({ chipId, run: { detail, heard } }: { chipId: string; run: Run }) {
  const lock = useLock();
  const holder = lock.data?.lock ? lock.data : null;
  return (
    <section>
      <h2>Now</h2>
      {holder?.execution_id ? (
        <>
          <p>
            <Link
              to="/execution/$chipId/$executionId"
              params={{ chipId: holder.chip_id ?? chipId, executionId: holder.execution_id }}
            >
              {holder.name ?? holder.execution_id}
            </Link>
            {holder.chip_id !== chipId && <span className="muted"> on {holder.chip_id}</span>}
          </p>
          {detail.data && <RunProgress detail={detail.data} heard={heard} />}
        </>
      ) : (
        <p className="muted">
          Nothing is running. <Link to="/start">Start a run</Link>
        </p>
      )}
    </section>
  );
}

function Next() {
  const projectId = useProjectId();
  const schedules = useQuery({
    queryKey: ['schedules', projectId],
    queryFn: () => dataOf(api.GET('/flows/schedules', { params: { query: { limit: SOON } } })),
    refetchInterval: POLL_MS,
  });
  const coming = (schedules.data?.schedules ?? []).filter(
    ({ active, next_run }) => active && next_run !== null,
  );
  return (
    <section>
      <h2>Next</h2>
      {coming.length === 0 ? (
        <p className="muted">Nothing is scheduled.</p>
      ) : (
        <ul className="plain">
          {coming.map(({ schedule_id, flow_name, next_run }) => (
            <li key={schedule_id}>
              {flow_name} <Ago time={next_run} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function LastFailures({ chipId }: { chipId: string }) {
  const projectId = useProjectId();
  const failures = useQuery({
    queryKey: ['failures', projectId, chipId],
    queryFn: () =>
      dataOf(
        api.GET('/task-results', {
          params: { query: { chip_id: chipId, status: 'failed', limit: FAILURES } },
        }),
      ),
    refetchInterval: POLL_MS,
  });
  const items = failures.data?.items ?? [];
  return (
    <section>
      <h2>Failed last</h2>
      {items.length === 0 ? (
        <p className="muted">No measurement of this chip has failed.</p>
      ) : (
        <ul className="plain failures">
          {items.map((item) => (
            <li key={item.task_id}>
              <Link
                to="/execution/$chipId/$executionId"
                params={{ chipId: item.chip_id, executionId: item.execution_id }}
                search={(now) => ({ project: now.project, chip: now.chip, task: item.task_id })}
              >
                {item.task_name} on {item.qid}
              </Link>{' '}
              <span className="muted">
                <Ago time={item.end_at ?? item.start_at} />
              </span>
              <span className="message">{item.message}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
