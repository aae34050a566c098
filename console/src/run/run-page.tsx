import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { api, dataOf } from '../api.ts';
import { useProjectId } from '../session.tsx';
import { Problem, Waiting } from '../ui/feedback.tsx';
import { Ago, Took } from '../ui/numbers.tsx';
import { ApprovalList } from './approvals.tsx';
import { Control } from './control.tsx';
import { Decisions } from './decisions.tsx';
import { Log } from './log.tsx';
import { Matrix } from './matrix.tsx';
import { RunProgress } from './progress.tsx';
import { Result } from './result.tsx';
import { isOver, tasksNow, useRun } from './run-state.ts';

const POLL_MS = 3000;
const STAGES = 100;

/** One run: what it measured, how that came out, and what can be done with it. */
export function RunPage() {
  const { executionId } = useParams({ from: '/execution/$chipId/$executionId' });
  const { task } = useSearch({ from: '/execution/$chipId/$executionId' });
  const navigate = useNavigate({ from: '/execution/$chipId/$executionId' });
  const projectId = useProjectId();
  const { detail, heard, isLive } = useRun(executionId);
  const stages = useQuery({
    // Once more when the run is over: its last stage may have begun since.
    queryKey: ['stages', projectId, executionId, isLive],
    queryFn: async () =>
      (
        await dataOf(
          api.GET('/executions/{execution_id}/stages', {
            params: { path: { execution_id: executionId }, query: { limit: STAGES } },
          }),
        )
      ).stages,
    refetchInterval: isLive ? POLL_MS : false,
    placeholderData: (previous) => previous,
  });
  const tasks = useMemo(() => tasksNow(detail.data?.task ?? [], heard.ended), [detail.data, heard.ended]);
  if (detail.error) {
    return (
      <main className="page">
        <Problem error={detail.error} />
        <p>
          <Link to="/executions">All executions of the chip</Link>
        </p>
      </main>
    );
  }
  if (!detail.data) return <Waiting title="Run" />;
  const run = detail.data;
  const chosen = tasks.find(({ task_id }) => task_id === task);
  return (
    <main className="run-page">
      <section className="run-main">
        <div className="controls">
          <div>
            <h1>{run.name || run.flow_name}</h1>
            <p className="muted">
              {run.execution_id} on {run.chip_id}, started by {run.username} <Ago time={run.start_at} />
              {run.start_at && run.end_at && (
                <>
                  , took <Took from={run.start_at} to={run.end_at} />
                </>
              )}
            </p>
          </div>
          <span className={`status ${run.status}`} role="status">
            {isOver(run.status) ? run.status : run.flow_run_state.toLowerCase()}
          </span>
          <span className="spring" />
          <Control
            run={run}
            hasFailures={tasks.some(({ status }) => status === 'failed' || status === 'skipped')}
          />
        </div>
        {isOver(run.status) && run.message && <p className="run-message">{run.message}</p>}
        {run.preempts !== null && (
          <p className="muted">
            Measures between the measurements of{' '}
            <Link
              to="/execution/$chipId/$executionId"
              params={{ chipId: run.chip_id, executionId: run.preempts }}
            >
              {run.preempts}
            </Link>
            , which goes on afterwards
          </p>
        )}
        {isLive && !heard.isConnected && (
          <p className="warning" role="status">
            The connection is lost; the page continues when it is back.
          </p>
        )}
        <RunProgress detail={run} heard={heard} />
        <ApprovalList executionId={run.execution_id} />
        <Matrix
          stages={stages.data ?? []}
          tasks={tasks}
          chosen={task}
          onChoose={(taskId) => void navigate({ search: (now) => ({ ...now, task: taskId }), replace: true })}
        />
        <Decisions executionId={run.execution_id} isLive={isLive} />
        <Log entries={run.log} />
        {run.flow_run_url !== null && (
          <p>
            <a href={run.flow_run_url} target="_blank" rel="noreferrer">
              The same run in Temporal
            </a>{' '}
            <span className="muted">with every step of its history</span>
          </p>
        )}
      </section>
      <aside aria-label="Result">
        {task ? (
          <Result key={task} taskId={task} status={chosen?.status} />
        ) : (
          <p className="muted">Choose a cell to see its figure, its values and the verdicts of the gates.</p>
        )}
      </aside>
    </main>
  );
}
