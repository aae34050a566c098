import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Button } from 'react-aria-components';
import { api, dataOf, type Schemas } from '../api.ts';
import { useProjectId } from '../session.tsx';
import { Problem, Waiting } from '../ui/feedback.tsx';
import { Ago } from '../ui/numbers.tsx';
import { CodeDifference } from './code-editor.tsx';
import { refresh } from './flow-saving.ts';

const MAX_LISTED = 100;

interface VersionsProps {
  name: string;
  /** The code of the current version. */
  current: string;
  mayRestore: boolean;
}

/** The kept versions of a flow, and the difference between one of them and the current one. */
export function Versions({ name, current, mayRestore }: VersionsProps) {
  const projectId = useProjectId();
  const { version } = useSearch({ from: '/flows' });
  const navigate = useNavigate({ from: '/flows' });
  const versions = useQuery({
    queryKey: ['flow versions', projectId, name],
    queryFn: async () =>
      (
        await dataOf(
          api.GET('/flows/{name}/versions', { params: { path: { name }, query: { limit: MAX_LISTED } } }),
        )
      ).items,
  });
  if (versions.error) return <Problem error={versions.error} />;
  if (!versions.data) return <Waiting title="Versions" />;
  const earlier = versions.data.find((each) => !each.is_current);
  const chosen = versions.data.find(({ version_id }) => version_id === version) ?? earlier;
  return (
    <>
      <table className="list">
        <thead>
          <tr>
            <th scope="col">Version</th>
            <th scope="col">Saved</th>
            <th scope="col">By</th>
            <th scope="col">Description</th>
            <th scope="col">Compare</th>
          </tr>
        </thead>
        <tbody>
          {versions.data.map((each) => (
            <tr key={each.version_id}>
              <th scope="row" className="number">
                {each.version_id.slice(0, 8)} {each.is_current && <span className="tag">current</span>}
              </th>
              <td>
                <Ago time={each.saved_at} />
              </td>
              <td>{each.saved_by}</td>
              <td className="muted">{each.description}</td>
              <td>
                {!each.is_current && (
                  <Button
                    aria-pressed={each.version_id === chosen?.version_id}
                    aria-label={
                      each.version_id === chosen?.version_id
                        ? `Compared below: ${each.version_id.slice(0, 8)} with the current version`
                        : `Compare ${each.version_id.slice(0, 8)} with the current version`
                    }
                    onPress={() =>
                      void navigate({
                        search: (now) => ({ ...now, version: each.version_id }),
                        replace: true,
                      })
                    }
                  >
                    {each.version_id === chosen?.version_id ? 'Compared below' : 'Compare'}
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {chosen && !chosen.is_current ? (
        <Difference name={name} version={chosen} current={current} mayRestore={mayRestore} />
      ) : (
        <p className="muted">This is the only version. Every save with different code creates a new one.</p>
      )}
    </>
  );
}

interface DifferenceProps extends VersionsProps {
  version: Schemas['FlowVersion'];
}

function Difference({ name, version, current, mayRestore }: DifferenceProps) {
  const projectId = useProjectId();
  const client = useQueryClient();
  const { version_id } = version;
  const params = { path: { name, version_id } };
  const detail = useQuery({
    queryKey: ['flow version', projectId, name, version_id],
    queryFn: () => dataOf(api.GET('/flows/{name}/versions/{version_id}', { params })),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const restoring = useMutation({
    mutationFn: () => dataOf(api.POST('/flows/{name}/versions/{version_id}/restore', { params })),
    onSuccess: () => refresh(client, projectId, name),
  });
  if (detail.error) return <Problem error={detail.error} />;
  if (!detail.data) return <Waiting title="Version" />;
  const short = version_id.slice(0, 8);
  return (
    <section className="difference" aria-label={`From ${short} to the current version`}>
      <div className="controls">
        <h2>
          From {short} to the current version{' '}
          <span className="muted">{lineCounts(detail.data.code, current)}</span>
        </h2>
        {mayRestore && (
          <Button isPending={restoring.isPending} onPress={() => restoring.mutate()}>
            Restore {short}
          </Button>
        )}
      </div>
      {restoring.error && <Problem error={restoring.error} />}
      <CodeDifference before={detail.data.code} after={current} label={`${name}, ${short} and current`} />
    </section>
  );
}

function lineCounts(before: string, after: string): string {
  const [old, current] = [before.split('\n').length, after.split('\n').length];
  return old === current ? `both have ${old} lines` : `${old} lines, now ${current}`;
}
