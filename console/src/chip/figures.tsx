import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../api.ts';
import { shownTime } from '../numbers.ts';
import { ResultFigures } from '../run/result.tsx';
import { useProjectId } from '../session.tsx';
import { Choice } from '../ui/choice.tsx';
import { Problem, Waiting } from '../ui/feedback.tsx';
import { Ago } from '../ui/numbers.tsx';

const RESULTS = 100;

/** The figures of a task on one target: the newest, and an earlier one beside it. */
export function Figures({ chipId, target }: { chipId: string; target: string }) {
  const projectId = useProjectId();
  const [chosenTask, setTask] = useState<string | null>(null);
  const [chosenEarlier, setEarlier] = useState<string | null>(null);
  const results = useQuery({
    queryKey: ['results', projectId, chipId, target],
    queryFn: async () =>
      (
        await dataOf(
          api.GET('/task-results', { params: { query: { chip_id: chipId, qid: target, limit: RESULTS } } }),
        )
      ).items,
  });
  if (results.error) return <Problem error={results.error} />;
  if (!results.data) return <Waiting title="Results" />;
  const ended = results.data.filter(({ status }) => status === 'completed' || status === 'failed');
  const tasks = [...new Set(ended.map(({ task_name }) => task_name))];
  const task = tasks.find((name) => name === chosenTask) ?? tasks[0];
  if (task === undefined) return <p className="muted">Nothing was measured here yet.</p>;
  const [newest, ...earlier] = ended.filter(({ task_name }) => task_name === task);
  const other = earlier.find(({ task_id }) => task_id === chosenEarlier) ?? earlier[0];
  return (
    <>
      <Choice
        label="Task"
        value={task}
        options={tasks.map((name) => ({ id: name, text: name }))}
        onChange={setTask}
      />
      <div className="side-by-side">
        {newest && (
          <figure>
            <figcaption>
              Newest, <Ago time={newest.end_at} />
            </figcaption>
            <ResultFigures taskId={newest.task_id} />
          </figure>
        )}
        {other && (
          <figure>
            <figcaption>
              {earlier.length > 1 ? (
                <Choice
                  label="Earlier"
                  value={other.task_id}
                  options={earlier.map(({ task_id, end_at }) => ({
                    id: task_id,
                    text: end_at ? shownTime(end_at) : task_id,
                  }))}
                  onChange={setEarlier}
                />
              ) : (
                <>
                  Earlier, <Ago time={other.end_at} />
                </>
              )}
            </figcaption>
            <ResultFigures taskId={other.task_id} />
          </figure>
        )}
      </div>
    </>
  );
}
