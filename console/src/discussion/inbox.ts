import { useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../api.ts';
import { useProjectId } from '../session.tsx';

const POLL_MS = 8000;

/** How many notifications of the project one has not read. */
export function useUnread(): number {
  const projectId = useProjectId();
  const unread = useQuery({
    queryKey: ['inbox', projectId, 'unread'],
    queryFn: async () => (await dataOf(api.GET('/notifications/unread-count'))).unread_count,
    refetchInterval: POLL_MS,
    enabled: projectId !== '',
  });
  return unread.data ?? 0;
}
