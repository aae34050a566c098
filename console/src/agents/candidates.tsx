import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Button } from 'react-aria-components';
import { api, dataOf, type Schemas } from '../api.ts';
import { useProjectId } from '../session.tsx';
import { Problem } from '../ui/feedback.tsx';
import { Quantity } from '../ui/numbers.tsx';
import { shownBound } from './bounds.ts';
import { useIsCommitted } from './commits.tsx';

/** The values that an action found, what the gates say about them, and how the creator of the session commits one. */
export function Candidates({
  session,
  actionId,
  mayCommit,
}: {
  session: Schemas['AgentSession'];
  actionId: string;
  mayCommit: boolean;
}) {
  const projectId = useProjectId();
  const client = useQueryClient();
  const isCommitted = useIsCommitted(session);
  const path = { session_id: session.session_id, action_id: actionId };
  const candidates = useQuery({
    queryKey: ['candidates', projectId, session.session_id, actionId],
    queryFn: async () =>
      (
        await dataOf(
          api.GET('/agent-sessions/{session_id}/actions/{action_id}/candidates', { params: { path } }),
        )
      ).items,
  });
  const committing = useMutation({
    mutationFn: ({ parameter_name, task_id }: Schemas['AgentCandidate']) =>
      dataOf(
        api.POST('/agent-sessions/{session_id}/actions/{action_id}/candidates/{parameter_name}/commit', {
          params: { path: { ...path, parameter_name } },
          body: {
            // The same candidate on the same state is one commit, also where the answer was lost.
            idempotency_key: `console-${actionId}-${parameter_name}-${session.state_version}`,
            expected_state_version: session.state_version,
            task_id,
          },
        }),
      ),
    onSettled: () =>
      Promise.all(
        ['agent sessions', 'agent actions', 'agent commits'].map((key) =>
          client.invalidateQueries({ queryKey: [key, projectId] }),
        ),
      ),
  });
  if (candidates.error) return <Problem error={candidates.error} />;
  if (!candidates.data) return null;
  const done = committing.data;
  return (
    <>
      <table className="list">
        <thead>
          <tr>
            <th scope="col">Candidate</th>
            <th scope="col">On</th>
            <th scope="col" className="right">
              Value
            </th>
            <th scope="col">Gates</th>
            <th scope="col">Result</th>
            {mayCommit && <th scope="col">Commit</th>}
          </tr>
        </thead>
        <tbody>
          {candidates.data.map((each) => (
            <tr key={`${each.task_id} ${each.parameter_name}`}>
              <th scope="row">{each.parameter_name}</th>
              <td>{each.qid}</td>
              <td className="right">
                <Quantity value={each.value} error={each.error} unit={each.unit} />
              </td>
              <td>
                <span className={`status ${each.accepted ? 'completed' : 'failed'}`}>
                  {each.accepted ? 'passes' : 'refused'}
                </span>{' '}
                <span className="muted">{each.reason || shownBound(each)}</span>
              </td>
              <td>
                <Link
                  to="/task-results/$taskId"
                  params={{ taskId: each.task_id }}
                  search={(now) => ({ project: now.project, chip: now.chip })}
                >
                  Figure
                </Link>
              </td>
              {mayCommit && (
                <td>
                  {isCommitted?.(each.parameter_name, each.task_id) && (
                    <span className="status completed">committed</span>
                  )}
                  {each.accepted && isCommitted?.(each.parameter_name, each.task_id) === false && (
                    <Button
                      aria-label={`Commit ${each.parameter_name} of ${each.qid}`}
                      isDisabled={committing.isPending}
                      onPress={() => committing.mutate(each)}
                    >
                      Commit
                    </Button>
                  )}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
      {committing.error && <Problem error={committing.error} />}
      {done && (
        <p className="success" role="status">
          {done.parameter_name} of {done.qid} is {done.status}
          {done.status === 'committed' && ': it is the calibration state now'}. {done.reason}
        </p>
      )}
    </>
  );
}
