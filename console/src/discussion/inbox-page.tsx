import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Button } from 'react-aria-components';
import { api, dataOf, type Schemas } from '../api.ts';
import { useProjectId } from '../session.tsx';
import { Empty, Problem, Waiting } from '../ui/feedback.tsx';
import { Ago } from '../ui/numbers.tsx';
import { Paging } from '../ui/paging.tsx';
import './discussion.css';

const PAGE = 30;
const POLL_MS = 8000;

/** What others wrote to one: mentions and replies, newest first. */
export function InboxPage() {
  const projectId = useProjectId();
  const client = useQueryClient();
  const navigate = useNavigate();
  const { skip = 0 } = useSearch({ from: '/inbox' });
  const inbox = useQuery({
    queryKey: ['inbox', projectId, skip],
    queryFn: () => dataOf(api.GET('/notifications', { params: { query: { skip, limit: PAGE } } })),
    refetchInterval: POLL_MS,
  });
  const changed = () => client.invalidateQueries({ queryKey: ['inbox', projectId] });
  const readAll = useMutation({
    mutationFn: () => api.PATCH('/notifications/read-all'),
    onSettled: changed,
  });
  const open = useMutation({
    mutationFn: async (notification: Schemas['Notification']) => {
      const { id, target_url, read_at } = notification;
      if (read_at === null)
        await api.PATCH('/notifications/{notification_id}/read', {
          params: { path: { notification_id: id } },
        });
      void changed();
      await navigate(placeOf(target_url));
    },
  });
  if (inbox.error) return <Problem error={inbox.error} />;
  if (!inbox.data) return <Waiting title="Inbox" />;
  const { notifications, unread_count, total } = inbox.data;
  return (
    <main className="page">
      <div className="controls">
        <h1>Inbox</h1>
        <span className="muted">
          {unread_count === 0 ? 'Everything is read.' : `${unread_count} not read`}
        </span>
        <span className="spring" />
        {unread_count > 0 && (
          <Button isPending={readAll.isPending} onPress={() => readAll.mutate()}>
            Mark all as read
          </Button>
        )}
      </div>
      {open.error && <Problem error={open.error} />}
      {notifications.length === 0 && (
        <Empty title="No messages yet">
          <p>Texts that mention you with your name after an @, and replies to yours, arrive here.</p>
        </Empty>
      )}
      <ul className="plain inbox">
        {notifications.map((each) => (
          <li key={each.id} className={each.read_at === null ? 'unread' : ''}>
            <button type="button" className="link" onClick={() => open.mutate(each)}>
              {each.read_at === null && <span className="unseen">Not read: </span>}
              {each.title}
            </button>{' '}
            <span className="muted">
              <Ago time={each.created_at} />
            </span>
            <p className="muted">{each.excerpt}</p>
          </li>
        ))}
      </ul>
      <Paging
        {...{ skip }}
        page={PAGE}
        total={total}
        back="Newer"
        on="Older"
        onSkip={(next) =>
          void navigate({ to: '/inbox', search: (now) => ({ ...now, skip: next || undefined }) })
        }
      />
    </main>
  );
}

/** The page of an address that a notification names. */
function placeOf(address: string) {
  const { pathname, searchParams } = new URL(address, document.baseURI);
  const [, kind, id = ''] = /\/(forum|issues|task-results)\/([^/]+)$/.exec(pathname) ?? [];
  switch (kind) {
    case 'forum':
      return { to: '/forum/$postId', params: { postId: id } } as const;
    case 'issues':
      return { to: '/issues/$issueId', params: { issueId: id } } as const;
    case 'task-results':
      return { to: '/task-results/$taskId', params: { taskId: decodeURIComponent(id) } } as const;
    default: {
      const target = searchParams.get('target') ?? undefined;
      return {
        to: '/',
        search: { chip: searchParams.get('chip_id') ?? undefined, target, tab: target && 'discussion' },
      } as const;
    }
  }
}
