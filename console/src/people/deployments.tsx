import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, dataOf, type Schemas } from '../api.ts';
import { useSession } from '../session.tsx';
import { Choice } from '../ui/choice.tsx';
import { Empty, Problem, Waiting } from '../ui/feedback.tsx';
import { GuideLink } from '../ui/guide-link.tsx';
import { Ago } from '../ui/numbers.tsx';

const POLL_MS = 10_000;
/** The choice without a rollback. */
const ALL = 'all';
/** States of versions that carry out runs. */
const NEEDED: readonly string[] = ['current', 'ramping', 'draining'];
const STATES: Record<Schemas['DeploymentVersion']['state'], string> = {
  current: 'starts runs',
  ramping: 'starts some of the runs',
  draining: 'still has open workflows',
  drained: 'has no open workflow; its workers may be stopped',
  not_used: 'was not promoted',
  without_version: 'workers without a version',
  unknown: 'not known to the workflow engine',
};

/** Which versions of the workers are there, what they carry out, and what a rollback would stop. For administrators. */
export function Deployments() {
  const versions = useQuery({
    queryKey: ['deployments'],
    queryFn: () => dataOf(api.GET('/admin/deployments')),
    refetchInterval: POLL_MS,
  });
  if (versions.error) return <Problem error={versions.error} />;
  if (!versions.data) return <Waiting title="Deployments" />;
  const { items, deployment } = versions.data;
  return (
    <>
      <h1>Deployments</h1>
      {deployment === null && (
        <p className="muted">
          Workers have no versions here. Before you replace them, one after another,{' '}
          <GuideLink page="upgrading.html">check that the open runs go on with the new release</GuideLink>.
        </p>
      )}
      {items.length === 0 && (
        <Empty title="No worker for runs is connected">
          <p>
            Runs wait until an operator <GuideLink page="running.html">starts one</GuideLink>.
          </p>
        </Empty>
      )}
      {items.length > 0 && <Versions items={items} />}
      <Runs versions={items} />
    </>
  );
}

function Versions({ items }: { items: Schemas['DeploymentVersion'][] }) {
  return (
    <table className="list">
      <thead>
        <tr>
          <th>Version</th>
          <th>State</th>
          <th>Since</th>
          <th>Workers</th>
          <th className="right">Open runs</th>
        </tr>
      </thead>
      <tbody>
        {items.map(({ build_id, state, created_at, current_since, workers, open_runs }) => (
          <tr key={build_id ?? ''}>
            <td>{build_id ?? 'none'}</td>
            <td>{STATES[state]}</td>
            <td>
              <Ago time={current_since ?? created_at} />
            </td>
            <td>
              {workers.length === 0 && (
                <span className={NEEDED.includes(state) ? 'warning' : 'muted'}>none is there</span>
              )}
              {workers.map(({ identity, seen_at }) => (
                <div key={identity}>
                  {identity}{' '}
                  <span className="muted">
                    seen <Ago time={seen_at} />
                  </span>
                </div>
              ))}
            </td>
            <td className="right number">{open_runs}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The open runs; with a version chosen, those that a rollback to it would stop. */
function Runs({ versions }: { versions: Schemas['DeploymentVersion'][] }) {
  const [target, setTarget] = useState(ALL);
  const runs = useQuery({
    queryKey: ['deployments', 'runs', target],
    queryFn: () =>
      dataOf(
        api.GET('/admin/deployments/runs', {
          params: { query: target === ALL ? {} : { rollback_to: target } },
        }),
      ),
    refetchInterval: POLL_MS,
  });
  const targets = versions.flatMap(({ build_id, state }) =>
    build_id === null || state === 'current' ? [] : [build_id],
  );
  return (
    <section aria-label="Open runs">
      <h2>Open runs</h2>
      {targets.length > 0 && (
        <Choice
          label="Show"
          value={target}
          options={[
            { id: ALL, text: 'all of them' },
            ...targets.map((id) => ({ id, text: `what a rollback to ${id} would stop` })),
          ]}
          onChange={setTarget}
        />
      )}
      {runs.error && <Problem error={runs.error} />}
      {!runs.error && !runs.data && <Waiting title="Open runs" />}
      {runs.data?.items.length === 0 && (
        <p className="muted">
          {target === ALL ? 'No run is open.' : `A rollback to ${target} stops no run.`}
        </p>
      )}
      {runs.data && runs.data.items.length > 0 && <RunTable runs={runs.data} />}
    </section>
  );
}

function RunTable({ runs: { items, total } }: { runs: Schemas['DeployedRunList'] }) {
  const { project } = useSession();
  return (
    <>
      <table className="list">
        <thead>
          <tr>
            <th>Run</th>
            <th>Chip</th>
            <th>Started</th>
            <th>Version</th>
            <th>Open stages in</th>
            <th>Rollback</th>
          </tr>
        </thead>
        <tbody>
          {items.map((run) => (
            <tr key={`${run.project_id} ${run.execution_id}`}>
              <td>
                {run.project_id === project?.project_id ? (
                  <Link
                    to="/execution/$chipId/$executionId"
                    params={{ chipId: run.chip_id, executionId: run.execution_id }}
                  >
                    {run.execution_id}
                  </Link>
                ) : (
                  <span title={`Project ${run.project_id}`}>{run.execution_id}, another project</span>
                )}
              </td>
              <td>{run.chip_id}</td>
              <td>
                <Ago time={run.started_at} />
              </td>
              <td>
                {run.build_id ?? 'none'}
                {run.is_pinned && <span className="muted"> stays</span>}
              </td>
              <td>{run.stages.map((version) => version ?? 'none').join(', ')}</td>
              <td>{run.rollback?.reason}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {total > items.length && <p className="muted">And {total - items.length} more.</p>}
    </>
  );
}
