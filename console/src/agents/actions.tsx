import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, dataOf, type Schemas } from '../api.ts';
import { useProjectId } from '../session.tsx';
import { Problem, Waiting } from '../ui/feedback.tsx';
import { Ago } from '../ui/numbers.tsx';
import { Paging } from '../ui/paging.tsx';
import { Candidates } from './candidates.tsx';

const PAGE = 100;
const POLL_MS = 3000;
/** States of a run that go on. The list keeps the last one that was requested; an action itself is looked up. */
const GOING_ON: readonly string[] = ['dispatching', 'queued', 'scheduled', 'running'];

/** Everything that an agent proposed, in order: what was authorized, what was refused, and why. */
export function Actions({ session, mayCommit }: { session: Schemas['AgentSession']; mayCommit: boolean }) {
  const projectId = useProjectId();
  const [skip, setSkip] = useState(0);
  const actions = useQuery({
    queryKey: ['agent actions', projectId, session.session_id, skip],
    queryFn: () =>
      dataOf(
        api.GET('/agent-sessions/{session_id}/actions', {
          params: { path: { session_id: session.session_id }, query: { skip, limit: PAGE } },
        }),
      ),
    refetchInterval: session.status === 'active' ? POLL_MS : false,
  });
  if (actions.error) return <Problem error={actions.error} />;
  if (!actions.data) return <Waiting title="Actions" />;
  const { items, total } = actions.data;
  return (
    <section aria-label="Audit trail" className="actions">
      <h2>Audit trail</h2>
      {total === 0 && <p className="muted">The agent has proposed nothing yet.</p>}
      <ol className="plain">
        {items.map((action) => (
          <li key={action.action_id}>
            <Action session={session} action={action} mayCommit={mayCommit} />
          </li>
        ))}
      </ol>
      <Paging {...{ skip }} page={PAGE} total={total} onSkip={setSkip} />
    </section>
  );
}

/** An action as it is by now. */
function useNow(listed: Schemas['AgentAction']): Schemas['AgentAction'] {
  const projectId = useProjectId();
  const { session_id, action_id } = listed;
  const now = useQuery({
    queryKey: ['agent action', projectId, session_id, action_id],
    queryFn: () =>
      dataOf(
        api.GET('/agent-sessions/{session_id}/actions/{action_id}', {
          params: { path: { session_id, action_id } },
        }),
      ),
    enabled: GOING_ON.includes(listed.execution_status),
    refetchInterval: POLL_MS,
  });
  return (GOING_ON.includes(listed.execution_status) && now.data) || listed;
}

function Action({
  session,
  action: listed,
  mayCommit,
}: {
  session: Schemas['AgentSession'];
  action: Schemas['AgentAction'];
  mayCommit: boolean;
}) {
  const action = useNow(listed);
  const overrides = Object.entries(action.parameter_overrides);
  const isMeasured = action.action_type === 'run_task' && action.execution_status === 'completed';
  return (
    <article className="action" aria-label={`Action ${action.task_name || action.action_type}`}>
      <p>
        <strong>
          {action.action_type === 'run_task'
            ? `${action.task_name} on ${action.qids.join(', ')}`
            : action.action_type.replaceAll('_', ' ')}
        </strong>{' '}
        <span className={`status ${action.decision === 'rejected' ? 'failed' : ''}`}>{action.decision}</span>{' '}
        {action.decision === 'authorized' && action.action_type === 'run_task' && (
          <span className="muted">{action.execution_status.replaceAll('_', ' ')} </span>
        )}
        <span className="muted">
          <Ago time={action.created_at} />
        </span>
        {action.execution_id && (
          <>
            {' '}
            <Link
              to="/execution/$chipId/$executionId"
              params={{ chipId: session.chip_id, executionId: action.execution_id }}
              search={(now) => ({ project: now.project, chip: now.chip })}
            >
              Run
            </Link>
          </>
        )}
      </p>
      {action.reason && (
        <p className={action.decision === 'rejected' ? 'gate-message' : ''}>{action.reason}</p>
      )}
      {action.diagnosis && <p className="muted">{action.diagnosis}</p>}
      {overrides.length > 0 && (
        <p className="muted">with {overrides.map(([name, value]) => `${name} = ${value}`).join(', ')}</p>
      )}
      {isMeasured && <Candidates session={session} actionId={action.action_id} mayCommit={mayCommit} />}
    </article>
  );
}
