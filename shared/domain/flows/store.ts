import type { CollectionIndexes, Db } from '../../kernel/database.ts';
import { CalibronError } from '../../kernel/errors.ts';
import { keyOf, type ProjectId } from '../../kernel/ids.ts';
import { assertMet, type Precondition, saveIfMet } from '../../kernel/preconditions.ts';
import type { KernelSettings } from '../../kernel/settings.ts';
import { builtInFlow } from './built-in.ts';
import { builtInFlows } from './built-in-rules.ts';
import type { FlowChecking } from './checking.ts';
import { createFlowFiles } from './flow-files.ts';
import type { FlowDetail, FlowDocument, FlowList } from './saved-flow-model.ts';
import { createSaving, type Tagged } from './saving.ts';
import type { FlowSettings } from './settings.ts';
import { createVersionStore, versionIndexes } from './version-store.ts';
import { flowDetailOf, flowItemOf, flowTagOf } from './wire.ts';

export const flowIndexes: CollectionIndexes[] = [
  { collection: 'flows', indexes: [{ name: 'by_change', key: { project_id: 1, updated_at: -1, name: 1 } }] },
  versionIndexes,
];

/** Maximum number of flows named in a message. */
const MAX_FLOWS_NAMED = 8;

export type FlowStore = ReturnType<typeof createFlowStore>;

/** Saved flows and the versions of their code. Runs use the database; the file under `<DATA_DIR>/flows` is a copy for people. */
export function createFlowStore(
  db: Db,
  settings: FlowSettings & Pick<KernelSettings, 'DATA_DIR'>,
  checking: Pick<FlowChecking, 'flow'>,
) {
  const flows = db.collection<FlowDocument>('flows');

  const versions = createVersionStore(db, settings.FLOW_VERSIONS);

  const { version } = versions;
  const files = createFlowFiles(flows, versions, settings.DATA_DIR);

  /** A stored flow; null if there is none. */
  const stored = (projectId: ProjectId, name: string) => flows.findOne({ _id: keyOf(projectId, name) });

  /** A built-in or saved flow; null if there is none. */
  const get = async (projectId: ProjectId, name: string): Promise<FlowDocument | null> =>
    (await builtInFlow(projectId, name))?.flow ?? stored(projectId, name);

  /** The error for a name that no flow has. It names flows of the project, the most recently changed first. */
  async function noSuchFlow(projectId: ProjectId): Promise<CalibronError> {
    const found = await flows
      .find({ project_id: projectId }, { projection: { name: 1 } })
      .sort({ updated_at: -1, name: 1 })
      .limit(MAX_FLOWS_NAMED + 1)
      .toArray();
    const names = found.slice(0, MAX_FLOWS_NAMED).map(({ name }) => name);
    const more = found.length > MAX_FLOWS_NAMED ? ' and others' : '';
    const hint = names.length > 0 ? ` It has ${names.join(', ')}${more}.` : '';
    return new CalibronError('not_found', `There is no such flow in this project.${hint}`);
  }

  /** A flow with its current version. @throws not_found */
  async function withCode(projectId: ProjectId, name: string) {
    const builtIn = await builtInFlow(projectId, name);
    if (builtIn) return { flow: builtIn.flow, current: builtIn.version };
    const flow = await stored(projectId, name);
    const current = flow && (await version(projectId, name, flow.hash));
    if (!flow || !current) throw await noSuchFlow(projectId);
    return { flow, current };
  }

  const itemOf = async (flow: FlowDocument) =>
    flowItemOf(flow, await files.exists(files.pathOf(flow.project_id, flow.name)));

  return {
    ...createSaving({ flows, versions, files, checking, settings }),
    version,

    get,

    noSuchFlow,

    /** Keeps a version permanently, because a run uses it; false if it does not exist. */
    async pin(projectId: ProjectId, name: string, hash: string): Promise<boolean> {
      const builtIn = await builtInFlow(projectId, name);
      if (builtIn?.version.hash === hash) await versions.save(builtIn.version, builtIn.version.created_at);
      return versions.pin(projectId, name, hash);
    },

    /** The flows of a project, most recently changed first. */
    async list(projectId: ProjectId): Promise<FlowList> {
      const found = await flows.find({ project_id: projectId }).sort({ updated_at: -1, name: 1 }).toArray();
      return { flows: await Promise.all(found.map(itemOf)) };
    },

    /** Deletes a flow and its file; versions used by runs are kept. @throws not_found */
    async remove(projectId: ProjectId, name: string, precondition?: Precondition): Promise<void> {
      const _id = keyOf(projectId, name);
      const flow = await saveIfMet(precondition, {
        read: () => stored(projectId, name),
        tagOf: (current) => current && flowTagOf(current),
        write: (expected) =>
          flows.findOneAndDelete({
            _id,
            ...(expected && {
              hash: expected.hash,
              revision: expected.revision ?? { $exists: false },
            }),
          }),
      });
      if (!flow) throw await noSuchFlow(projectId);
      await versions.removeUnused(projectId, name, flow.updated_at);
      await files.keep(projectId, name);
    },

    /** Checks that a flow is what a caller read. @throws precondition_failed */
    async assertUnchanged(
      projectId: ProjectId,
      name: string,
      precondition: Precondition | undefined,
    ): Promise<void> {
      if (precondition === undefined) return;
      const flow = await stored(projectId, name);
      assertMet(precondition, flow && flowTagOf(flow));
    },

    /** One flow with its code. @throws not_found */
    async read(projectId: ProjectId, name: string): Promise<Tagged<FlowDetail>> {
      const { flow, current } = await withCode(projectId, name);
      const path = builtInFlows.has(name) ? '' : files.pathOf(projectId, name);
      const file = { path, exists: path !== '' && (await files.exists(path)) };
      return { value: flowDetailOf(flow, current.source, file), tag: flowTagOf(flow) };
    },

    withCode,

    versionStore: versions,
  };
}
