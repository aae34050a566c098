import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, type Schemas } from '../api.ts';
import { useProjectId } from '../session.tsx';
import { functionOf } from './flow-text.ts';

/** What is saved of a flow besides its code. */
export type EditedFlow = Pick<
  Schemas['FlowDetail'],
  | 'name'
  | 'code'
  | 'description'
  | 'chip_id'
  | 'flow_function_name'
  | 'default_parameters'
  | 'default_run_parameters'
  | 'tags'
>;

/** A saved flow with the tag of what was read. */
export function useFlow(name: string) {
  const projectId = useProjectId();
  return useQuery({
    queryKey: ['flow', projectId, name],
    queryFn: async () => {
      const { data, response } = await api.GET('/flows/{name}', { params: { path: { name } } });
      if (!data) throw new Error('The service answered without content.');
      return { detail: data, tag: response.headers.get('etag') };
    },
    // A flow does not change while a user edits it. Saving reports a change by another user.
    staleTime: Number.POSITIVE_INFINITY,
  });
}

interface Saving {
  flow: EditedFlow;
  code: string;
  description: string;
  /** Tag of the flow that was changed; null for one that is new. */
  tag: string | null;
}

/** Saves a flow unless another user has saved it since it was read. The answer is the tag of what is saved. */
export function useSaving() {
  const projectId = useProjectId();
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ flow, code, description, tag }: Saving) => {
      const { response } = await api.POST('/flows', {
        ...(tag !== null && { params: { header: { 'if-match': tag } } }),
        body: {
          ...flow,
          code,
          description,
          flow_function_name: functionOf(code, flow.name, flow.flow_function_name),
        },
      });
      return response.headers.get('etag');
    },
    onSuccess: (_tag, { flow: { name } }) => refresh(client, projectId, name),
  });
}

/** Reads again what shows a flow after it was changed. */
export async function refresh(
  client: ReturnType<typeof useQueryClient>,
  projectId: string,
  name: string,
): Promise<void> {
  await Promise.all([
    client.invalidateQueries({ queryKey: ['flows', projectId] }),
    client.invalidateQueries({ queryKey: ['flow', projectId, name] }),
    client.invalidateQueries({ queryKey: ['flow versions', projectId, name] }),
    client.invalidateQueries({ queryKey: ['definition', projectId, name] }),
  ]);
}
