import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { api, dataOf, type Schemas } from '../api.ts';
import { useBackendTasks } from '../chip/chip-data.ts';
import { useProjectId, useSession } from '../session.tsx';
import { Choice } from '../ui/choice.tsx';
import { Problem } from '../ui/feedback.tsx';

type Reason = NonNullable<Schemas['RequestedAiReviews']['skipped_reason']>;

const SWITCHED_OFF = 'Reviews are switched off here. An administrator can switch them on.';

/** Why nothing is reviewed, and what to do about it. */
const NOTHING: Readonly<Record<Reason, string>> = {
  copilot_disabled: SWITCHED_OFF,
  analysis_disabled: SWITCHED_OFF,
  task_not_configured: 'This task is not reviewed here. An administrator chooses the tasks.',
  no_results: 'This task has no result on the chip yet. Measure it first.',
  under_review: 'The newest results are under review. They appear here as soon as that is done.',
};

/** Has the newest result of a task reviewed on each target of the chip, and says which tasks can be. */
export function RequestReviews({ chipId }: { chipId: string }) {
  const { mayWrite } = useSession();
  const projectId = useProjectId();
  const client = useQueryClient();
  const [chosen, setChosen] = useState<string>();
  const catalog = useBackendTasks();
  const settings = useQuery({
    queryKey: ['reviews', 'settings'],
    queryFn: () => dataOf(api.GET('/copilot/config')),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const requesting = useMutation({
    mutationFn: (task: string) => {
      const isCoupling = catalog.data?.some(({ tasks }) =>
        tasks.some(({ name, task_type }) => name === task && task_type === 'coupling'),
      );
      const entity_type = isCoupling ? 'coupling' : 'qubit';
      return dataOf(
        api.POST('/task-results/ai-review/bulk', { body: { chip_id: chipId, task, entity_type } }),
      );
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['reviews', projectId] }),
  });
  if (!settings.data) return null;
  const { enabled, analysis } = settings.data;
  const tasks = analysis.ai_review_tasks;
  const task = chosen ?? tasks[0];
  if (!enabled || !analysis.enabled) return <p className="muted">{SWITCHED_OFF}</p>;
  if (task === undefined) {
    return <p className="muted">No task is reviewed here. An administrator chooses the tasks.</p>;
  }
  const { data, error } = requesting;
  return (
    <section aria-label="Request reviews" className="request-reviews">
      {mayWrite && (
        <div className="controls">
          <Choice
            label="Task"
            value={task}
            options={tasks.map((id) => ({ id, text: id }))}
            onChange={setChosen}
          />
          <Button isPending={requesting.isPending} onPress={() => requesting.mutate(task)}>
            Review its newest results
          </Button>
        </div>
      )}
      <p className="muted hint">
        {analysis.review_after_runs
          ? 'These tasks are also reviewed when a run has ended.'
          : 'Results are reviewed only on request.'}
      </p>
      {error && <Problem error={error} />}
      {data && (
        <p className={data.skipped_reason ? 'warning' : 'success'} role="status">
          {data.skipped_reason ? NOTHING[data.skipped_reason] : begun(data.requested_count)}
        </p>
      )}
    </section>
  );
}

function begun(count: number): string {
  return count === 1 ? 'One result is being reviewed.' : `${count} results are being reviewed.`;
}
