import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Button } from 'react-aria-components';
import { api, dataOf } from '../api.ts';
import { useChip } from '../chip/chip-data.ts';
import { useProjectId, useSession } from '../session.tsx';
import { Problem } from '../ui/feedback.tsx';
import { Ago } from '../ui/numbers.tsx';

const POLL_MS = 5000;

/** Questions of flows that wait for an answer: of the project, or of one run. */
export function ApprovalList({ executionId }: { executionId?: string }) {
  const projectId = useProjectId();
  const { mayWrite } = useSession();
  const client = useQueryClient();
  const chip = useChip();
  const approvals = useQuery({
    queryKey: ['approvals', projectId, executionId],
    queryFn: () =>
      dataOf(
        api.GET('/approvals', {
          params: { query: { status: 'pending', ...(executionId && { execution_id: executionId }) } },
        }),
      ),
    refetchInterval: POLL_MS,
  });
  const answering = useMutation({
    mutationFn: ({ approval_id, answer }: { approval_id: string; answer: string }) =>
      dataOf(api.POST('/approvals/{approval_id}', { params: { path: { approval_id } }, body: { answer } })),
    onSettled: () => client.invalidateQueries({ queryKey: ['approvals', projectId] }),
  });
  const waiting = approvals.data?.approvals ?? [];
  if (waiting.length === 0) return null;
  return (
    <section className="approvals">
      <h2>Waiting for an answer</h2>
      {waiting.map((approval) => (
        <div key={approval.approval_id} className="approval">
          <p>{approval.question}</p>
          <p className="muted">
            {!executionId && chip && (
              <>
                <Link
                  to="/execution/$chipId/$executionId"
                  params={{ chipId: chip.chip_id, executionId: approval.execution_id }}
                >
                  {approval.execution_id}
                </Link>
                {'; '}
              </>
            )}
            Without an answer, “{approval.default}” is taken <Ago time={approval.deadline} />
          </p>
          {mayWrite && (
            <p className="buttons">
              {approval.options.map((answer) => (
                <Button
                  key={answer}
                  isPending={answering.isPending}
                  onPress={() => answering.mutate({ approval_id: approval.approval_id, answer })}
                >
                  {answer}
                </Button>
              ))}
            </p>
          )}
        </div>
      ))}
      {answering.error && <Problem error={answering.error} />}
    </section>
  );
}
