import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { api, dataOf } from '../api.ts';
import { useChip } from '../chip/chip-data.ts';
import { useProjectId } from '../session.tsx';
import { Empty, Problem, Waiting } from '../ui/feedback.tsx';
import { GuideLink } from '../ui/guide-link.tsx';
import { Ago } from '../ui/numbers.tsx';
import { AgentSession } from './agent-session.tsx';
import './agents.css';

const POLL_MS = 5000;
const LISTED = 100;

/** The sessions in which agents act on the chip, and one of them in full. */
export function AgentsPage() {
  const chip = useChip();
  const projectId = useProjectId();
  const search = useSearch({ from: '/agents' });
  const sessions = useQuery({
    queryKey: ['agent sessions', projectId, chip?.chip_id],
    queryFn: () =>
      dataOf(
        api.GET('/agent-sessions', { params: { query: { chip_id: chip?.chip_id ?? '', limit: LISTED } } }),
      ),
    enabled: chip !== undefined,
    refetchInterval: POLL_MS,
  });
  if (sessions.error) return <Problem error={sessions.error} />;
  if (!sessions.data) return <Waiting title="Agents" />;
  const { items, total } = sessions.data;
  const chosen = items.find(({ session_id }) => session_id === search.session) ?? items[0];
  if (!chosen) {
    return (
      <main className="page">
        <Empty title={`No agent has acted on ${chip?.chip_id}`}>
          <p>
            An agent is a program that proposes what to measure, within limits that you set.{' '}
            <Link to="/people" search={{ section: 'tokens' }}>
              Create a token for it
            </Link>{' '}
            first; the <GuideLink page="agents.html">guide to agents</GuideLink> has a program to begin with.
            As soon as it has opened a session, its limits, what it proposes and what it found appear here.
          </p>
        </Empty>
      </main>
    );
  }
  return (
    <main className="agents-page">
      <nav aria-label="Agent sessions" className="choices">
        {items.map((session) => (
          <Link
            key={session.session_id}
            to="/agents"
            search={(now) => ({ project: now.project, chip: now.chip, session: session.session_id })}
            aria-current={session === chosen ? 'page' : undefined}
          >
            {session.model_name || session.skill_name || 'agent'} of {session.created_by}
            <span className="muted">
              {session.status.replaceAll('_', ' ')}, <Ago time={session.created_at} />
            </span>
          </Link>
        ))}
        {total > items.length && <p className="muted">{total - items.length} older ones are not shown.</p>}
      </nav>
      <AgentSession key={chosen.session_id} session={chosen} />
    </main>
  );
}
