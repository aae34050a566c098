import { useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../api.ts';
import { useProjectId } from '../session.tsx';

/** Milliseconds between two requests for the state of the lock. */
const POLL_MS = 3000;

/** The lock of the project: the run that holds it, or without one the newest run. */
export function useLock() {
  const projectId = useProjectId();
  return useQuery({
    queryKey: ['lock', projectId],
    queryFn: () => dataOf(api.GET('/executions/lock-status')),
    refetchInterval: POLL_MS,
    enabled: projectId !== '',
  });
}
