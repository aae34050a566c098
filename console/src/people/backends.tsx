import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api, dataOf, type Schemas } from '../api.ts';
import { useChip } from '../chip/chip-data.ts';
import { useProjectId } from '../session.tsx';
import { Empty, Problem, Waiting } from '../ui/feedback.tsx';
import { Ago } from '../ui/numbers.tsx';

const POLL_MS = 5000;
/** The username of backends for which the configuration names no person. */
const UNASSIGNED = 'system';

function responsible(username: string): string {
  return username === '' || username === UNASSIGNED ? '' : `${username} is responsible for it. `;
}

function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}

/** The instruments that measure for the project: who serves them, since when, and what they measure. */
export function Backends() {
  const projectId = useProjectId();
  const backends = useQuery({
    queryKey: ['backends', projectId],
    queryFn: () => dataOf(api.GET('/backends')),
    refetchInterval: POLL_MS,
  });
  if (backends.error) return <Problem error={backends.error} />;
  if (!backends.data) return <Waiting title="Backends" />;
  const rows = backends.data.backends;
  return (
    <>
      <h1>Backends</h1>
      {rows.length === 0 && (
        <Empty title="No backend may measure for this project">
          <p>An operator declares backends and their projects in the configuration.</p>
        </Empty>
      )}
      {rows.map((backend) => (
        <section key={backend.name} className="backend" aria-label={`Backend ${backend.name}`}>
          <h2>{backend.name}</h2>
          <p className="muted">
            {responsible(backend.username)}
            {backend.workers.length === 0
              ? 'No worker is connected; measurements wait until one is.'
              : `${counted(backend.workers.length, 'worker')} connected.`}
          </p>
          {backend.workers.map((worker) => (
            <Worker key={worker.identity} worker={worker} />
          ))}
          <Measures backend={backend} />
        </section>
      ))}
    </>
  );
}

function Worker({ worker }: { worker: Schemas['ConnectedWorker'] }) {
  return (
    <>
      {worker.problem && <p className="warning">{worker.problem}</p>}
      <dl className="facts">
        <dt>Worker</dt>
        <dd>{worker.identity}</dd>
        <dt>Connected</dt>
        <dd>
          <Ago time={worker.since} />
        </dd>
        <dt>Last seen</dt>
        <dd>
          <Ago time={worker.seen_at} />
        </dd>
        {worker.software !== '' && (
          <>
            <dt>Software</dt>
            <dd>
              {worker.software} {worker.version}
            </dd>
          </>
        )}
        {worker.at_once !== null && (
          <>
            <dt>At once</dt>
            <dd>{counted(worker.at_once, 'measurement')}</dd>
          </>
        )}
        <dt>Measuring</dt>
        <dd>
          {worker.measuring.length === 0
            ? 'nothing'
            : worker.measuring.map((each) => (
                <Measuring key={`${each.execution_id} ${each.what}`} {...each} />
              ))}
        </dd>
      </dl>
    </>
  );
}

/** The tasks that the workers declare, or those of the catalogue if none declares any. */
function Measures({ backend }: { backend: Schemas['Backend'] }) {
  const projectId = useProjectId();
  const declaredTasks = backend.workers.flatMap(({ tasks }) => tasks ?? []);
  const catalogue = useQuery({
    queryKey: ['tasks of', projectId, backend.name],
    queryFn: async () =>
      (await dataOf(api.GET('/tasks', { params: { query: { backend: backend.name } } }))).tasks,
    enabled: declaredTasks.length === 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (catalogue.error) return <Problem error={catalogue.error} />;
  const tasks = declaredTasks.length > 0 ? declaredTasks : (catalogue.data ?? []);
  const byName = new Map(tasks.map(({ name, description }) => [name, description]));
  return (
    <details>
      <summary>Measures {counted(byName.size, 'task')}</summary>
      <ul className="announced">
        {[...byName].map(([name, description]) => (
          <li key={name} title={description}>
            {name}
          </li>
        ))}
      </ul>
    </details>
  );
}

function Measuring({ execution_id, what, progress, since }: Schemas['CurrentMeasurement']) {
  const chip = useChip();
  return (
    <div>
      {execution_id && chip ? (
        <Link
          to="/execution/$chipId/$executionId"
          params={{ chipId: chip.chip_id, executionId: execution_id }}
        >
          {what ?? execution_id}
        </Link>
      ) : (
        (what ?? 'for another project')
      )}
      {progress !== null && <> {Math.round(progress * 100)} %</>},{' '}
      <span className="muted">
        began <Ago time={since} />
      </span>
    </div>
  );
}
