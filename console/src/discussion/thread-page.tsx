import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { Button } from 'react-aria-components';
import { api, dataOf } from '../api.ts';
import { useProjectId, useSession } from '../session.tsx';
import { Problem, Waiting } from '../ui/feedback.tsx';
import { Compose } from './compose.tsx';
import { Written } from './written.tsx';
import './discussion.css';

const POLL_MS = 8000;
const REPLIES = 200;

/** One thread of the forum with its replies. */
export function ThreadPage() {
  const { postId } = useParams({ from: '/forum/$postId' });
  const { user, role } = useSession();
  const projectId = useProjectId();
  const navigate = useNavigate();
  const client = useQueryClient();
  const params = { path: { post_id: postId } };
  const thread = useQuery({
    queryKey: ['thread', projectId, postId],
    queryFn: () => dataOf(api.GET('/forum/posts/{post_id}', { params })),
    refetchInterval: POLL_MS,
  });
  const replies = useQuery({
    queryKey: ['thread', projectId, postId, 'replies'],
    queryFn: () =>
      dataOf(api.GET('/forum/posts/{post_id}/replies', { params: { ...params, query: { limit: REPLIES } } })),
    refetchInterval: POLL_MS,
  });
  const changed = () =>
    Promise.all(['thread', 'threads'].map((key) => client.invalidateQueries({ queryKey: [key, projectId] })));
  if (thread.error) return <Problem error={thread.error} />;
  if (!thread.data) return <Waiting title="Thread" />;
  const first = thread.data;
  const isOver = first.status === 'resolved';
  const mayEdit = (author: string | null) => author === user.user_id || role === 'owner';
  const change = async (id: string, content: string) => {
    await api.PATCH('/forum/posts/{post_id}', { params: { path: { post_id: id } }, body: { content } });
    await changed();
  };
  const remove = async (id: string) => {
    await api.DELETE('/forum/posts/{post_id}', { params: { path: { post_id: id } } });
    if (id === postId) await navigate({ to: '/forum' });
    await changed();
  };
  const turn = async () => {
    if (isOver) await api.PATCH('/forum/posts/{post_id}/reopen', { params });
    else await api.PATCH('/forum/posts/{post_id}/close', { params });
    await changed();
  };
  return (
    <main className="page discussion">
      <div className="controls">
        <h1>
          #{first.number} {first.title}
        </h1>
        <span className="status">{first.status}</span>
        {first.chip_id && first.target_id && (
          <Link
            to="/"
            search={{
              project: projectId,
              chip: first.chip_id,
              target: first.target_id,
              tab: 'discussion',
            }}
          >
            {first.target_type} {first.target_id} of {first.chip_id}
          </Link>
        )}
        <span className="spring" />
        {mayEdit(first.user_id) && (
          <Button onPress={() => void turn()}>{isOver ? 'Open it again' : 'Close it'}</Button>
        )}
      </div>
      <Written
        author={first.username}
        at={first.created_at}
        text={first.content}
        onChange={mayEdit(first.user_id) ? (content) => change(first.id, content) : undefined}
        onDelete={first.user_id === user.user_id ? () => remove(first.id) : undefined}
      />
      {replies.error && <Problem error={replies.error} />}
      {replies.data?.map((reply) => (
        <Written
          key={reply.id}
          author={reply.username}
          at={reply.created_at}
          text={reply.content}
          isOfModel={reply.is_ai_reply}
          onChange={mayEdit(reply.user_id) ? (content) => change(reply.id, content) : undefined}
          onDelete={reply.user_id === user.user_id ? () => remove(reply.id) : undefined}
        />
      ))}
      {isOver ? (
        <p className="muted">The thread is closed and takes no more replies.</p>
      ) : (
        <Compose
          label="Reply"
          action="Reply"
          onSend={async ({ content }) => {
            await api.POST('/forum/posts', {
              body: { parent_id: postId, category: first.category, content },
            });
            await changed();
          }}
        />
      )}
    </main>
  );
}
