import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf, type Schemas } from '../api.ts';
import { stateMark } from '../chip/holding.tsx';
import { shownClock, shownTime } from '../numbers.ts';
import { useProjectId } from '../session.tsx';
import { Choice } from '../ui/choice.tsx';
import { Problem } from '../ui/feedback.tsx';
import { Paging } from '../ui/paging.tsx';

type Decision = Schemas['MaintenanceDecision'];
type Shown = Decision['phase'] | 'all';

const PAGE = 25;
const POLL_MS = 3000;
/** Targets that a row names; the others are counted. */
const NAMED = 12;

const PHASES: readonly { id: Shown; text: string }[] = [
  { id: 'all', text: 'All' },
  { id: 'start', text: 'Known before' },
  { id: 'run', text: 'After measurements' },
  { id: 'end', text: 'At the end' },
];

/** What each decision is called, and the status whose colour it has. */
const DECISIONS: Readonly<Record<Decision['decision'], { text: string; status: string }>> = {
  holds: { text: 'holds', status: 'completed' },
  check: { text: 'check', status: 'running' },
  diagnose: { text: 'look at the cause first', status: 'running' },
  calibrate: { text: 'calibrate', status: 'running' },
  not_repaired: { text: 'not repaired', status: 'failed' },
  postponed: { text: 'postponed', status: '' },
};

/** What the maintenance of a run decided, and why; nothing for a run without one. */
export function Decisions({ executionId, isLive }: { executionId: string; isLive: boolean }) {
  const projectId = useProjectId();
  const [shown, setShown] = useState<Shown>('all');
  const [skip, setSkip] = useState(0);
  const decisions = useQuery({
    // Once more when the run is over: the last ones are made then.
    queryKey: ['decisions', projectId, executionId, shown, skip, isLive],
    queryFn: () =>
      dataOf(
        api.GET('/executions/{execution_id}/maintenance/decisions', {
          params: {
            path: { execution_id: executionId },
            query: { skip, limit: PAGE, ...(shown !== 'all' && { phase: shown }) },
          },
        }),
      ),
    refetchInterval: isLive ? POLL_MS : false,
    placeholderData: (previous) => previous,
  });
  if (decisions.error) return <Problem error={decisions.error} />;
  if (!decisions.data || (decisions.data.total === 0 && shown === 'all')) return null;
  const { items, total } = decisions.data;
  return (
    <section aria-label="Decisions">
      <div className="controls">
        <h2>
          Decisions <span className="muted number">{total}</span>
        </h2>
        <Choice
          label="Decisions to show"
          isLabelHidden
          value={shown}
          options={PHASES}
          onChange={(phase) => {
            setShown(phase);
            setSkip(0);
          }}
        />
      </div>
      <div className="scrolling">
        <table className="list" aria-label="Decisions of the maintenance">
          <thead>
            <tr>
              <th scope="col">Time</th>
              <th scope="col">Task</th>
              <th scope="col">Targets</th>
              <th scope="col">Decision</th>
              <th scope="col">Reason</th>
            </tr>
          </thead>
          <tbody>
            {items.map((decision) => (
              <DecisionRow key={decision.sequence} decision={decision} />
            ))}
          </tbody>
        </table>
      </div>
      <Paging {...{ skip }} page={PAGE} total={total} onSkip={setSkip} />
    </section>
  );
}

function DecisionRow({ decision }: { decision: Decision }) {
  const { made_at, task_name, targets, parameter_names, state_before, reason, check } = decision;
  const { text, status } = DECISIONS[decision.decision];
  const more = targets.length - NAMED;
  return (
    <tr>
      <td>
        <time dateTime={made_at} title={shownTime(made_at)}>
          {shownClock(made_at)}
        </time>
      </td>
      <td title={`${parameter_names.join(', ')}: ${stateMark(state_before).title}`}>{task_name}</td>
      <td className="number" title={more > 0 ? targets.join(', ') : undefined}>
        {targets.slice(0, NAMED).join(', ')}
        {more > 0 && <span className="muted"> and {more} more</span>}
      </td>
      <td>
        <span className={`status ${status}`}>{text}</span>
      </td>
      <td>
        {reason}
        {check?.reason && <span className="muted"> {check.reason}</span>}
      </td>
    </tr>
  );
}
