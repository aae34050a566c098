import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { api, dataOf } from '../api.ts';
import { Result } from '../run/result.tsx';
import { useProjectId } from '../session.tsx';
import { Problem, Waiting } from '../ui/feedback.tsx';

/** A result and what people wrote about it. */
export function ResultPage() {
  const { taskId } = useParams({ from: '/task-results/$taskId' });
  return (
    <main className="page discussion">
      <Result taskId={taskId} status={undefined} />
    </main>
  );
}

/** The result that an issue is about. */
export function IssuePage() {
  const { issueId } = useParams({ from: '/issues/$issueId' });
  const projectId = useProjectId();
  const issue = useQuery({
    queryKey: ['issues', projectId, 'one', issueId],
    queryFn: () => dataOf(api.GET('/issues/{issue_id}', { params: { path: { issue_id: issueId } } })),
  });
  if (issue.error) return <Problem error={issue.error} />;
  if (!issue.data) return <Waiting title="Issue" />;
  return (
    <main className="page discussion">
      <Result taskId={issue.data.task_id} status={undefined} />
    </main>
  );
}
