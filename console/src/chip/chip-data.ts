import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { api, dataOf } from '../api.ts';
import { useProjectId } from '../session.tsx';
import { isCoupling } from '../targets.ts';

const MINUTE = 60_000;

/** The chips of the project that are in use. */
export function useChips() {
  const projectId = useProjectId();
  return useQuery({
    queryKey: ['chips', projectId],
    queryFn: async () =>
      (await dataOf(api.GET('/chips'))).chips.filter((each) => each.activity_status === 'active'),
    enabled: projectId !== '',
    staleTime: MINUTE,
  });
}

/** The chip of the page; the shell shows pages only when there is one. */
export function useChip() {
  const { chip } = useSearch({ from: '__root__' });
  const chips = useChips();
  return chips.data?.find((each) => each.chip_id === chip) ?? chips.data?.[0];
}

/** Positions and couplings of a chip. They do not change. */
export function useTopology(topologyId: string | undefined) {
  return useQuery({
    queryKey: ['topology', topologyId],
    queryFn: async () =>
      (
        await dataOf(
          api.GET('/topology/{topology_id}', { params: { path: { topology_id: topologyId ?? '' } } }),
        )
      ).data,
    enabled: topologyId !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Which metrics there are and how they are shown. */
export function useMetrics() {
  return useQuery({
    queryKey: ['metrics'],
    queryFn: () => dataOf(api.GET('/metrics/config')),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** The present values of one metric. */
export function useHeatmap(chipId: string | undefined, metric: string | undefined) {
  const projectId = useProjectId();
  return useQuery({
    queryKey: ['heatmap', projectId, chipId, metric],
    queryFn: () =>
      dataOf(
        api.GET('/chips/{chip_id}/metrics/heatmap/{metric}', {
          params: { path: { chip_id: chipId ?? '', metric: metric ?? '' } },
        }),
      ),
    enabled: chipId !== undefined && metric !== undefined,
    placeholderData: (previous) => (previous?.chip_id === chipId ? previous : undefined),
  });
}

/** A qubit or coupling with its calibration values. */
export function useTarget(chipId: string, target: string) {
  const projectId = useProjectId();
  return useQuery({
    queryKey: ['target', projectId, chipId, target],
    queryFn: () =>
      isCoupling(target)
        ? dataOf(
            api.GET('/chips/{chip_id}/couplings/{coupling_id}', {
              params: { path: { chip_id: chipId, coupling_id: target } },
            }),
          )
        : dataOf(
            api.GET('/chips/{chip_id}/qubits/{qid}', { params: { path: { chip_id: chipId, qid: target } } }),
          ),
  });
}

/** The backends of the project, first the one that measures where a run names none. */
export function useBackendNames() {
  const projectId = useProjectId();
  return useQuery({
    queryKey: ['backend names', projectId],
    queryFn: async () => {
      const [settings, { backends }] = await Promise.all([
        dataOf(api.GET('/task-files/settings')),
        dataOf(api.GET('/backends')),
      ]);
      const rank = (name: string) => (name === settings.default_backend ? 0 : 1);
      return backends.map(({ name }) => name).sort((one, other) => rank(one) - rank(other));
    },
    enabled: projectId !== '',
    staleTime: MINUTE,
  });
}

/** The tasks of each backend of the project, in the order of {@link useBackendNames}. A lab's worker may declare more at any time. */
export function useBackendTasks() {
  const projectId = useProjectId();
  const names = useBackendNames();
  const tasks = useQuery({
    queryKey: ['tasks', projectId, names.data],
    queryFn: () =>
      Promise.all(
        (names.data ?? []).map(async (backend) => {
          const query = { backend };
          return { backend, ...(await dataOf(api.GET('/task-files/tasks', { params: { query } }))) };
        }),
      ),
    enabled: names.data !== undefined,
    staleTime: MINUTE,
  });
  return { data: tasks.data, error: names.error ?? tasks.error };
}

/** Tasks of all backends by name, each once, although several backends may offer it. */
export function tasksByName<Task extends { name: string }>(
  backends: readonly { tasks: readonly Task[] }[] | undefined,
): Map<string, Task> {
  return new Map((backends ?? []).flatMap(({ tasks }) => tasks.map((task) => [task.name, task] as const)));
}

/** Names of all tasks, once they are known. */
export function useTaskNames(): string[] {
  return [...tasksByName(useBackendTasks().data).keys()];
}
