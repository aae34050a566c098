import { Link } from '@tanstack/react-router';
import type { Schemas } from '../api.ts';
import { Ago } from '../ui/numbers.tsx';

/** Threads with their subject and their state. */
export function ThreadList({ threads }: { threads: readonly Schemas['ForumPost'][] }) {
  return (
    <ul className="plain threads">
      {threads.map((thread) => (
        <li key={thread.id}>
          <Link
            to="/forum/$postId"
            params={{ postId: thread.id }}
            search={(now) => ({ project: now.project, chip: now.chip })}
          >
            #{thread.number} {thread.title}
          </Link>{' '}
          <span className="status">{thread.status}</span>
          {thread.labels.map((label) => (
            <span key={label} className="tag">
              {label}
            </span>
          ))}
          <span className="muted about">
            {thread.username} <Ago time={thread.created_at} />, {thread.reply_count}{' '}
            {thread.reply_count === 1 ? 'reply' : 'replies'}
            {thread.target_id && `, about ${thread.target_type} ${thread.target_id} of ${thread.chip_id}`}
          </span>
        </li>
      ))}
    </ul>
  );
}
