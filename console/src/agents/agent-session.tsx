import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Button } from 'react-aria-components';
import { api, type Schemas } from '../api.ts';
import { useProjectId, useSession } from '../session.tsx';
import { Confirm } from '../ui/ask.tsx';
import { Problem } from '../ui/feedback.tsx';
import { Ago } from '../ui/numbers.tsx';
import { Actions } from './actions.tsx';
import { shownBound } from './bounds.ts';
import { Commits } from './commits.tsx';

const OPEN: readonly string[] = ['active', 'waiting_for_human'];

/** One session: what its agent may do, what it has used, and everything that it proposed. */
export function AgentSession({ session }: { session: Schemas['AgentSession'] }) {
  const { user, role, mayWrite } = useSession();
  const projectId = useProjectId();
  const client = useQueryClient();
  const params = { path: { session_id: session.session_id } };
  const isOwn = session.created_by === user.username;
  const mayControl = mayWrite && (isOwn || role === 'owner') && OPEN.includes(session.status);
  const changed = () =>
    Promise.all(
      ['agent sessions', 'agent actions', 'agent commits'].map((key) =>
        client.invalidateQueries({ queryKey: [key, projectId] }),
      ),
    );
  const resuming = useMutation({
    mutationFn: () => api.POST('/agent-sessions/{session_id}/resume', { params }),
    onSettled: changed,
  });
  const cancel = async () => {
    await api.POST('/agent-sessions/{session_id}/cancel', { params });
    await changed();
  };
  const { policy, action_count } = session;
  return (
    <section className="agent-session" aria-label="Session">
      <div className="controls">
        <h1>{session.model_name || session.skill_name || 'Agent'}</h1>
        <span className="status" role="status">
          {session.status.replaceAll('_', ' ')}
        </span>
        <span className="spring" />
        {mayControl && session.status === 'waiting_for_human' && (
          <Button className="primary" isPending={resuming.isPending} onPress={() => resuming.mutate()}>
            Resume it
          </Button>
        )}
        {mayControl && (
          <Confirm text="End the session" question="End the session?" onConfirm={cancel}>
            <p>The agent can propose nothing more. A measurement under way ends as usual.</p>
          </Confirm>
        )}
      </div>
      {resuming.error && <Problem error={resuming.error} />}
      <p className="muted">
        For {session.created_by}, since <Ago time={session.created_at} />, until{' '}
        <Ago time={session.expires_at} />
        {session.skill_name && `, with ${session.skill_name} ${session.skill_version}`}
      </p>
      <section aria-label="Budget">
        <h2>
          Budget: {action_count} of {policy.max_actions} actions used
        </h2>
        <div
          className="track"
          role="progressbar"
          aria-label="Budget used"
          aria-valuenow={action_count}
          aria-valuemin={0}
          aria-valuemax={policy.max_actions}
        >
          <div
            className="done"
            style={{ width: `${Math.min(100, (100 * action_count) / policy.max_actions)}%` }}
          />
        </div>
      </section>
      <Policy policy={policy} />
      <Commits session={session} />
      <Actions session={session} mayCommit={mayWrite && isOwn && session.status === 'active'} />
    </section>
  );
}

function Policy({ policy }: { policy: Schemas['AgentPolicy'] }) {
  return (
    <section aria-label="Policy">
      <h2>Policy</h2>
      <dl className="facts">
        <dt>Targets</dt>
        <dd>{policy.qids.join(', ')}</dd>
        <dt>Tasks</dt>
        <dd>{policy.allowed_tasks.join(', ') || 'none'}</dd>
        <dt>Actions</dt>
        <dd>{policy.allowed_actions.map((action) => action.replaceAll('_', ' ')).join(', ')}</dd>
        <dt>May set</dt>
        <dd>
          <Bounds bounds={policy.allowed_overrides} />
        </dd>
        <dt>Commits only</dt>
        <dd>
          <Bounds bounds={policy.quality_gates} />
        </dd>
        <dt>Reconfigures</dt>
        <dd>{policy.allow_reconfigure ? 'yes' : 'no'}</dd>
      </dl>
    </section>
  );
}

function Bounds({ bounds }: { bounds: Schemas['AgentPolicy']['quality_gates'] }) {
  const names = Object.entries(bounds);
  if (names.length === 0) return <span className="muted">nothing named</span>;
  return names.map(([name, bound]) => (
    <div key={name}>
      {name} {shownBound(bound)}
    </div>
  ));
}
