import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, dataOf, type Schemas } from '../api.ts';
import { useProjectId } from '../session.tsx';
import { Problem } from '../ui/feedback.tsx';
import { Ago, Quantity } from '../ui/numbers.tsx';
import { Paging } from '../ui/paging.tsx';

const PAGE = 20;
/** The most commits that one answer lists. */
const LISTED = 200;
const POLL_MS = 5000;

const STATES: Record<Schemas['ListedAgentCommit']['status'], { text: string; style: string }> = {
  committing: { text: 'in progress', style: 'running' },
  committed: { text: 'committed', style: 'completed' },
  failed: { text: 'failed', style: 'failed' },
};

/** Tells whether a value of a task is calibration state already, or becomes it; undefined until that is known. */
export function useIsCommitted({ session_id, status }: Schemas['AgentSession']) {
  const projectId = useProjectId();
  const commits = useQuery({
    queryKey: ['agent commits', projectId, session_id, 'all'],
    queryFn: () =>
      dataOf(
        api.GET('/agent-sessions/{session_id}/commits', {
          params: { path: { session_id }, query: { limit: LISTED } },
        }),
      ),
    refetchInterval: status === 'active' ? POLL_MS : false,
  });
  const standing = commits.data?.items.filter((commit) => commit.status !== 'failed');
  return (
    standing &&
    ((name: string, taskId: string) =>
      standing.some(({ values }) =>
        values.some(({ parameter_name, task_id }) => parameter_name === name && task_id === taskId),
      ))
  );
}

/** What a session has made calibration state, newest first. */
export function Commits({ session: { session_id, status } }: { session: Schemas['AgentSession'] }) {
  const projectId = useProjectId();
  const [skip, setSkip] = useState(0);
  const commits = useQuery({
    queryKey: ['agent commits', projectId, session_id, skip],
    queryFn: () =>
      dataOf(
        api.GET('/agent-sessions/{session_id}/commits', {
          params: { path: { session_id }, query: { skip, limit: PAGE } },
        }),
      ),
    refetchInterval: status === 'active' ? POLL_MS : false,
  });
  if (commits.error) return <Problem error={commits.error} />;
  const { items, total } = commits.data ?? { items: [], total: null };
  return (
    <section aria-label="Commits">
      <h2>Commits</h2>
      {total === 0 && <p className="muted">Nothing from this session is calibration state yet.</p>}
      {items.length > 0 && (
        <table className="list">
          <thead>
            <tr>
              <th scope="col">Value</th>
              <th scope="col">On</th>
              <th scope="col">Is now</th>
              <th scope="col">Was</th>
              <th scope="col">State</th>
              <th scope="col">Backend's files</th>
              <th scope="col">When</th>
            </tr>
          </thead>
          <tbody>{items.flatMap(rowsOf)}</tbody>
        </table>
      )}
      <Paging {...{ skip }} page={PAGE} total={total ?? 0} onSkip={setSkip} />
    </section>
  );
}

/** A row for each value, because a campaign commits several at once. */
function rowsOf(commit: Schemas['ListedAgentCommit']) {
  const state = STATES[commit.status];
  return commit.values.map(({ parameter_name, value, error, unit, task_id, replaced }) => (
    <tr key={`${commit.commit_id} ${parameter_name}`}>
      <th scope="row">
        <Link
          to="/task-results/$taskId"
          params={{ taskId: task_id }}
          search={(now) => ({ project: now.project, chip: now.chip })}
        >
          {parameter_name}
        </Link>
      </th>
      <td>{commit.qid}</td>
      <td>
        <Quantity value={value} error={error} unit={unit} />
      </td>
      <td>{typeof replaced === 'number' ? <Quantity value={replaced} unit={unit} /> : '–'}</td>
      <td>
        <span className={`status ${state.style}`}>{state.text}</span>{' '}
        <span className="muted">{commit.reason}</span>
      </td>
      <td>{commit.backend_status.replaceAll('_', ' ')}</td>
      <td>
        {commit.committed_by}, <Ago time={commit.committed_at ?? commit.created_at} />
      </td>
    </tr>
  ));
}
