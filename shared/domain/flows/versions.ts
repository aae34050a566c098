import { CalibronError } from '../../kernel/errors.ts';
import type { ProjectId } from '../../kernel/ids.ts';
import type {
  FlowVersionDetail,
  FlowVersionDocument,
  FlowVersionList,
  FlowVersionPage,
  SavedFlowAnswer,
} from './saved-flow-model.ts';
import type { SaveOptions, Tagged } from './saving.ts';
import type { FlowStore } from './store.ts';
import { flowVersionDetailOf, flowVersionOf } from './wire.ts';

/** Lists, reads and restores earlier versions of flows. */
export function createFlowVersions({
  versionStore: versions,
  withCode,
  save,
}: Pick<FlowStore, 'versionStore' | 'withCode' | 'save'>) {
  async function mustFind(
    projectId: ProjectId,
    name: string,
    versionId: string,
  ): Promise<{ flow: Awaited<ReturnType<typeof withCode>>['flow']; version: FlowVersionDocument }> {
    const { flow, current } = await withCode(projectId, name);
    if (versionId === flow.hash) return { flow, version: { _id: flow._id, ...current } };
    const version = await versions.version(projectId, name, versionId);
    if (!version || version.unlisted) {
      throw new CalibronError('not_found', 'There is no such version of this flow.');
    }
    return { flow, version };
  }

  return {
    /** A page of the versions of a flow, most recently saved first. @throws not_found */
    async list(projectId: ProjectId, name: string, page: FlowVersionPage): Promise<FlowVersionList> {
      const { flow, current } = await withCode(projectId, name);
      const { found, total } = await versions.list(projectId, flow, page);
      // Built-in flows are not stored.
      if (total > 0 || page.skip > 0) {
        return { items: found.map((each) => flowVersionOf(flow, each)), total, ...page };
      }
      return { items: [flowVersionOf(flow, { _id: flow._id, ...current })], total: 1, ...page };
    },

    /** One version with its code. @throws not_found */
    async read(projectId: ProjectId, name: string, versionId: string): Promise<FlowVersionDetail> {
      const { flow, version } = await mustFind(projectId, name, versionId);
      return flowVersionDetailOf(flow, version);
    },

    /**
     * Saves a version again, so that it becomes the current one; versions saved in between are kept.
     * @throws not_found, and as a save does
     */
    async restore(
      projectId: ProjectId,
      username: string,
      wanted: { name: string; versionId: string },
      options: SaveOptions = {},
    ): Promise<Tagged<SavedFlowAnswer>> {
      const { flow, version } = await mustFind(projectId, wanted.name, wanted.versionId);
      const { description, chip_id, default_parameters, default_run_parameters, tags } =
        version.last_save ?? flow;
      const functionName = version.last_save?.flow_function_name ?? version.function_name;
      return save(
        projectId,
        username,
        {
          name: wanted.name,
          code: version.source,
          flow_function_name: functionName,
          description,
          chip_id,
          default_parameters,
          default_run_parameters,
          tags,
        },
        options,
      );
    },
  };
}
