import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Button } from 'react-aria-components';
import { api, dataOf } from '../api.ts';
import { useProjectId, useSession } from '../session.tsx';
import { Confirm } from '../ui/ask.tsx';
import { Problem } from '../ui/feedback.tsx';
import { type Detail, isOver } from './run-state.ts';

type Action = 'pause' | 'resume' | 'stop';

/** What can be done with a run now. Users who may not write see nothing here. */
export function Control({ run, hasFailures }: { run: Detail; hasFailures: boolean }) {
  const { mayWrite } = useSession();
  const projectId = useProjectId();
  const client = useQueryClient();
  const navigate = useNavigate();
  const { execution_id } = run;
  const acting = useMutation({
    mutationFn: (action: Action) => request(action, execution_id),
    onSettled: () => client.invalidateQueries({ queryKey: ['execution', projectId, execution_id] }),
  });
  const retrying = useMutation({
    mutationFn: () =>
      dataOf(api.POST('/executions/{execution_id}/retry', { params: { path: { execution_id } }, body: {} })),
    onSuccess: (started) =>
      navigate({
        to: '/execution/$chipId/$executionId',
        params: { chipId: run.chip_id, executionId: started.execution_id },
        search: (now) => ({ project: now.project, chip: now.chip }),
      }),
  });
  const flows = useQuery({
    queryKey: ['flows', projectId],
    queryFn: async () => (await dataOf(api.GET('/flows'))).flows,
    enabled: mayWrite && isOver(run.status),
  });
  if (!mayWrite) return null;
  // A single task has no form of its own to start it from.
  const isFlow = flows.data?.some(({ name }) => name === run.flow_name);
  const error = acting.error ?? retrying.error;
  const isPaused = run.flow_run_state === 'PAUSED';
  // Pending and not disabled, because a disabled button loses the focus of the keyboard.
  const button = (action: Action, text: string, hint: string) => (
    <Button isPending={acting.isPending} aria-description={hint} onPress={() => acting.mutate(action)}>
      {text}
    </Button>
  );
  const cancel = async () => {
    await api.POST('/executions/{flow_run_id}/cancel', { params: { path: { flow_run_id: execution_id } } });
    await client.invalidateQueries({ queryKey: ['execution', projectId, execution_id] });
  };
  return (
    <div className="buttons">
      {!isOver(run.status) && (
        <>
          {isPaused
            ? button('resume', 'Resume', 'Goes on measuring')
            : button('pause', 'Pause', 'Begins no further measurement until the run is resumed')}
          {button('stop', 'Stop', 'Ends the run once the measurements in flight have ended')}
          <Confirm text="Cancel" question={`Cancel the run ${execution_id}?`} onConfirm={cancel}>
            <p>
              The measurements in flight are aborted, and the run ends. What it has measured stays. To let
              them end first, choose Stop.
            </p>
          </Confirm>
        </>
      )}
      {isOver(run.status) && hasFailures && (
        <Button className="primary" isPending={retrying.isPending} onPress={() => retrying.mutate()}>
          Rerun what failed
        </Button>
      )}
      {isOver(run.status) && isFlow && (
        <Link
          to="/start"
          search={(now) => ({ project: now.project, chip: run.chip_id, flow: run.flow_name })}
          className="button"
        >
          Run it again
        </Link>
      )}
      {error && <Problem error={error} />}
    </div>
  );
}

async function request(action: Action, execution_id: string): Promise<void> {
  const params = { path: { execution_id } };
  switch (action) {
    case 'pause':
      await api.POST('/executions/{execution_id}/pause', { params });
      return;
    case 'resume':
      await api.POST('/executions/{execution_id}/resume', { params });
      return;
    case 'stop':
      await api.POST('/executions/{execution_id}/stop', { params });
  }
}
