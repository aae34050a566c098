import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../api.ts';
import { Confirm } from '../ui/ask.tsx';
import { Problem, Waiting } from '../ui/feedback.tsx';
import { GuideLink } from '../ui/guide-link.tsx';
import { Ago } from '../ui/numbers.tsx';

const [POLL_MS, IDLE_POLL_MS] = [2000, 30_000];
const OPEN: readonly string[] = ['queued', 'running', 'rolling_back'];

/** Which version is installed, and the update that is offered or goes on. For administrators. */
export function Updates() {
  const client = useQueryClient();
  const status = useQuery({
    queryKey: ['updates', 'status'],
    queryFn: () => dataOf(api.GET('/admin/system-updates/status')),
    refetchInterval: IDLE_POLL_MS,
  });
  const operationId = status.data?.operation_id ?? null;
  const operation = useQuery({
    queryKey: ['updates', operationId],
    queryFn: () =>
      dataOf(
        api.GET('/admin/system-updates/{operation_id}', {
          params: { path: { operation_id: operationId ?? '' } },
        }),
      ),
    enabled: operationId !== null,
    refetchInterval: ({ state }) => (state.data && !OPEN.includes(state.data.state) ? false : POLL_MS),
  });
  const changed = () => client.invalidateQueries({ queryKey: ['updates'] });
  const install = async (current: string) => {
    await api.POST('/admin/system-updates', { body: { expected_current_version: current } });
    await changed();
  };
  if (status.error) return <Problem error={status.error} />;
  if (!status.data) return <Waiting title="System updates" />;
  const found = status.data;
  if (!found.enabled) {
    return (
      <>
        <h1>System updates</h1>
        <p className="muted">
          Updates from this page are disabled. An operator can{' '}
          <GuideLink page="operating.html#system-updates">enable them</GuideLink>.
        </p>
      </>
    );
  }
  return (
    <>
      <h1>System updates</h1>
      <dl className="facts">
        <dt>Installed</dt>
        <dd>
          {found.current_version} <span className="muted">{found.current_commit.slice(0, 12)}</span>
        </dd>
        <dt>Newest</dt>
        <dd>{found.latest_version ?? 'not known'}</dd>
        <dt>Looked</dt>
        <dd>
          <Ago time={found.checked_at} />
        </dd>
      </dl>
      {found.blocked_reason && <p className="warning">{found.blocked_reason}</p>}
      {!found.update_available && <p className="muted">The newest version is installed.</p>}
      {found.can_update && (
        <div className="buttons">
          <Confirm
            text="Install"
            question={`Install ${found.latest_version}?`}
            onConfirm={() => install(found.current_version)}
          >
            <p>
              No run can start until it is done. If the new version does not work, the old one is put back.
            </p>
          </Confirm>
        </div>
      )}
      {operation.error && <Problem error={operation.error} />}
      {operation.data && <Operation operation={operation.data} onChanged={changed} />}
    </>
  );
}

function Operation({
  operation,
  onChanged,
}: {
  operation: Schemas['SystemUpdateOperation'];
  onChanged: () => Promise<void>;
}) {
  const cancel = async () => {
    await api.POST('/admin/system-updates/{operation_id}/cancel', {
      params: { path: { operation_id: operation.operation_id } },
    });
    await onChanged();
  };
  return (
    <section aria-label="Update">
      <h2>
        From {operation.source_version} to {operation.target_version}
      </h2>
      <p role="status">
        {operation.state.replace('_', ' ')}, {operation.stage}: {operation.message}{' '}
        <Ago time={operation.updated_at} />
      </p>
      <div
        className="track"
        role="progressbar"
        aria-label="Progress of the update"
        aria-valuenow={operation.progress}
        aria-valuemin={0}
        aria-valuemax={100}
      >
        <div className="done" style={{ width: `${operation.progress}%` }} />
      </div>
      {operation.log_tail.length > 0 && (
        <ol className="log">
          {operation.log_tail.map((line, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines of a log have no other name
            <li key={index}>{line}</li>
          ))}
        </ol>
      )}
      {operation.state === 'queued' && (
        <Confirm text="Take it back" question="Take the update back?" onConfirm={cancel}>
          <p>Nothing was changed yet. Runs may start again.</p>
        </Confirm>
      )}
    </section>
  );
}
