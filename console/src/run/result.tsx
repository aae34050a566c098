import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { api, artifactUrl, dataOf } from '../api.ts';
import { stateOf, states } from '../colours.ts';
import { useProjectId } from '../session.tsx';
import { Problem, Waiting } from '../ui/feedback.tsx';
import { Figure } from '../ui/figure.tsx';
import { Ago, Quantity } from '../ui/numbers.tsx';

const ResultDiscussion = lazy(async () => ({
  default: (await import('../discussion/result-discussion.tsx')).ResultDiscussion,
}));

function useResult(taskId: string, isEnded: boolean) {
  const projectId = useProjectId();
  return useQuery({
    queryKey: ['result', projectId, taskId, isEnded],
    queryFn: () => dataOf(api.GET('/tasks/{task_id}/result', { params: { path: { task_id: taskId } } })),
  });
}

/** The figures of a result, one below the other. */
export function ResultFigures({ taskId }: { taskId: string }) {
  const result = useResult(taskId, true);
  if (result.error) return <Problem error={result.error} />;
  if (!result.data) return <Waiting title="Figure" />;
  const { json_figure_path: paths, task_name, qid } = result.data;
  if (paths.length === 0) return <p className="muted">This result has no figure.</p>;
  return paths.map((path, index) => (
    <Figure key={path} path={path} label={`${task_name} on ${qid}, figure ${index + 1}`} />
  ));
}

/** One measurement: how it came out, why, what it found, and its figure. */
export function Result({ taskId, status }: { taskId: string; status: string | undefined }) {
  const result = useResult(taskId, status !== 'running');
  if (result.error) return <Problem error={result.error} />;
  if (!result.data) return <Waiting title="Result" />;
  const { data } = result;
  const state = stateOf(data.status);
  const outputs = Object.entries(data.output_parameters);
  return (
    <article className="result">
      <h2>
        {data.task_name} on{' '}
        <Link
          to="/"
          search={(now) => ({ project: now.project, chip: data.chip_id, target: data.qid, tab: 'figures' })}
        >
          {data.qid}
        </Link>
      </h2>
      <p>
        <span className={`dot ${state}`} aria-hidden="true">
          {states[state].sign}
        </span>{' '}
        {states[state].title}{' '}
        <span className="muted">
          <Ago time={data.end_at ?? data.start_at} />
        </span>
      </p>
      {data.message !== '' && <p className={state === 'failed' ? 'gate-message' : ''}>{data.message}</p>}
      {data.json_figure_path.map((path, index) => (
        <Figure key={path} path={path} label={`${data.task_name} on ${data.qid}, figure ${index + 1}`} />
      ))}
      {outputs.length > 0 && (
        <table className="values">
          <tbody>
            {outputs.map(([name, record]) => (
              <tr key={name}>
                <th scope="row" title={record.description}>
                  {name}
                </th>
                <td className="right">
                  {typeof record.value === 'number' ? (
                    <Quantity value={record.value} error={record.error} unit={record.unit} />
                  ) : (
                    String(record.value)
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {data.raw_data_path.map((path, index) => (
        <p key={path}>
          <a href={artifactUrl(path)} download>
            Raw data{data.raw_data_path.length > 1 && ` ${index + 1} of ${data.raw_data_path.length}`}
          </a>
        </p>
      ))}
      <Suspense fallback={null}>
        <ResultDiscussion taskId={taskId} />
      </Suspense>
    </article>
  );
}
