import { useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../api.ts';
import { useProjectId } from '../session.tsx';

/** Milliseconds between two looks whether a run holds the project. */
const LOOK_MS = 3000;

/** The run that holds the project, or the newest one. */
export function useLock() {
  const projectId = useProjectId();
  return useQuery({
    queryKey: ['lock', projectId],
    queryFn: () => dataOf(api.GET('/executions/lock-status')),
    refetchInterval: LOOK_MS,
    enabled: projectId !== '',
  });
}
