import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Button } from 'react-aria-components';
import { api, dataOf, isProblem, type Schemas } from '../api.ts';
import { useProjectId, useSession } from '../session.tsx';
import { Opens } from '../ui/ask.tsx';
import { Problem } from '../ui/feedback.tsx';
import { Compose } from './compose.tsx';
import { NoteBox } from './note-box.tsx';
import { Written } from './written.tsx';
import './discussion.css';

const POLL_MS = 15_000;

/** What users wrote about one result: its note, and issues with their replies. */
export function ResultDiscussion({ taskId }: { taskId: string }) {
  const projectId = useProjectId();
  const client = useQueryClient();
  const params = { path: { task_id: taskId } };
  const note = useQuery({
    queryKey: ['result note', projectId, taskId],
    queryFn: () => noteOf(taskId),
  });
  const issues = useQuery({
    queryKey: ['issues', projectId, taskId],
    queryFn: () => dataOf(api.GET('/task-results/{task_id}/issues', { params })),
    refetchInterval: POLL_MS,
  });
  const changed = () => client.invalidateQueries({ queryKey: ['issues', projectId] });
  const saveNote = async (content: string) => {
    if (content.trim() === '') await api.DELETE('/task-results/{task_id}/note', { params });
    else await api.PUT('/task-results/{task_id}/note', { params, body: { content } });
    await client.invalidateQueries({ queryKey: ['result note', projectId, taskId] });
  };
  if (note.error) return <Problem error={note.error} />;
  if (issues.error) return <Problem error={issues.error} />;
  if (note.data === undefined || !issues.data) return null;
  const all = issues.data;
  return (
    <>
      <NoteBox note={note.data} onSave={saveNote} />
      <section aria-label="Issues" className="comments">
        <h2>Issues</h2>
        {all.length === 0 && <p className="muted">Nobody has a question about this result yet.</p>}
        {all
          .filter(({ parent_id }) => parent_id === null)
          .map((issue) => (
            <OneIssue
              key={issue.id}
              issue={issue}
              replies={all.filter(({ parent_id }) => parent_id === issue.id)}
              onChanged={changed}
            />
          ))}
        <div className="buttons">
          <Opens text="Open an issue" title="Open an issue on this result">
            {(close) => (
              <Compose
                label="Text"
                action="Open it"
                hasTitle
                rows={4}
                onSend={async (draft) => {
                  await api.POST('/task-results/{task_id}/issues', { params, body: draft });
                  await changed();
                  close();
                }}
              />
            )}
          </Opens>
        </div>
      </section>
    </>
  );
}

/** The note of a result; null if there is none. */
async function noteOf(taskId: string): Promise<Schemas['Note'] | null> {
  try {
    return await dataOf(api.GET('/task-results/{task_id}/note', { params: { path: { task_id: taskId } } }));
  } catch (thrown) {
    if (isProblem(thrown, 'not_found')) return null;
    throw thrown;
  }
}

function OneIssue({
  issue,
  replies,
  onChanged,
}: {
  issue: Schemas['Issue'];
  replies: readonly Schemas['Issue'][];
  onChanged: () => Promise<void>;
}) {
  const { user, role } = useSession();
  const params = { path: { issue_id: issue.id } };
  const isOwn = (written: Schemas['Issue']) => written.user_id === user.user_id;
  const change = async (issue_id: string, content: string) => {
    await api.PATCH('/issues/{issue_id}', { params: { path: { issue_id } }, body: { content } });
    await onChanged();
  };
  const remove = async (issue_id: string) => {
    await api.DELETE('/issues/{issue_id}', { params: { path: { issue_id } } });
    await onChanged();
  };
  const toggleClosed = async () => {
    if (issue.is_closed) await api.PATCH('/issues/{issue_id}/reopen', { params });
    else await api.PATCH('/issues/{issue_id}/close', { params });
    await onChanged();
  };
  return (
    <section className="issue" aria-label={`Issue ${issue.title}`}>
      <h3>
        {issue.title} <span className="status">{issue.is_closed ? 'closed' : 'open'}</span>
      </h3>
      <Written
        author={issue.username}
        at={issue.created_at}
        text={issue.content}
        onChange={isOwn(issue) ? (content) => change(issue.id, content) : undefined}
        onDelete={isOwn(issue) ? () => remove(issue.id) : undefined}
      >
        {(isOwn(issue) || role === 'owner') && (
          <Button onPress={() => void toggleClosed()}>
            {issue.is_closed ? 'Open it again' : 'Close it'}
          </Button>
        )}
      </Written>
      {replies.map((reply) => (
        <Written
          key={reply.id}
          author={reply.username}
          at={reply.created_at}
          text={reply.content}
          isOfModel={reply.is_ai_reply}
          onChange={isOwn(reply) ? (content) => change(reply.id, content) : undefined}
          onDelete={isOwn(reply) ? () => remove(reply.id) : undefined}
        />
      ))}
      {!issue.is_closed && (
        <Compose
          label={`Reply to ${issue.title}`}
          action="Reply"
          rows={2}
          onSend={async ({ content }) => {
            await api.POST('/task-results/{task_id}/issues', {
              params: { path: { task_id: issue.task_id } },
              body: { content, parent_id: issue.id },
            });
            await onChanged();
          }}
        />
      )}
    </section>
  );
}
