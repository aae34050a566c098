import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../api.ts';
import { useProjectId, useSession } from '../session.tsx';
import { isCoupling } from '../targets.ts';
import { Opens } from '../ui/ask.tsx';
import { Problem, Waiting } from '../ui/feedback.tsx';
import { Compose } from './compose.tsx';
import { NewThread } from './new-thread.tsx';
import { NoteBox } from './note-box.tsx';
import { useTargetNotes } from './target-notes.ts';
import { ThreadList } from './threads.tsx';
import { Written } from './written.tsx';
import './discussion.css';

const THREADS = 50;

/** What people wrote about a qubit or coupling: its note, comments, and threads of the forum. */
export function TargetDiscussion({ chipId, target }: { chipId: string; target: string }) {
  const { user } = useSession();
  const notes = useTargetNotes(chipId, target);
  if (notes.error) return <Problem error={notes.error} />;
  if (notes.isPending) return <Waiting title="Discussion" />;
  const comments = notes.found?.comments ?? [];
  return (
    <>
      <NoteBox note={notes.found?.note} onSave={notes.writeNote} />
      <section aria-label="Comments" className="comments">
        <h2>Comments</h2>
        {comments.map((comment) => {
          const isOwn = comment.created_by === user.username;
          return (
            <Written
              key={comment.comment_id}
              author={comment.created_by}
              at={comment.created_at}
              text={comment.content}
              onChange={isOwn ? (content) => notes.changeComment(comment.comment_id, content) : undefined}
              onDelete={isOwn ? () => notes.deleteComment(comment.comment_id) : undefined}
            />
          );
        })}
        <Compose label="Comment" action="Comment" rows={2} onSend={({ content }) => notes.comment(content)} />
      </section>
      <TargetThreads chipId={chipId} target={target} />
    </>
  );
}

function TargetThreads({ chipId, target }: { chipId: string; target: string }) {
  const projectId = useProjectId();
  const client = useQueryClient();
  const about = {
    chip_id: chipId,
    target_type: isCoupling(target) ? ('coupling' as const) : ('qubit' as const),
    target_id: target,
  };
  const threads = useQuery({
    queryKey: ['threads', projectId, chipId, target],
    queryFn: () =>
      dataOf(api.GET('/forum/posts', { params: { query: { ...about, status: 'all', limit: THREADS } } })),
  });
  return (
    <section aria-label="Threads" className="comments">
      <h2>Threads of the forum</h2>
      {threads.error && <Problem error={threads.error} />}
      {threads.data && <ThreadList threads={threads.data.posts} />}
      {threads.data?.total === 0 && <p className="muted">No thread is about it yet.</p>}
      <div className="buttons">
        <Opens text="Begin a thread" title={`Begin a thread about ${target}`}>
          {(close) => (
            <NewThread
              about={about}
              onDone={async () => {
                await client.invalidateQueries({ queryKey: ['threads', projectId] });
                close();
              }}
            />
          )}
        </Opens>
      </div>
    </section>
  );
}
