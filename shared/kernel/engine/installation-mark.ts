import { Client, isGrpcServiceError } from '@temporalio/client';
import { type Engine, withinDeadline } from './temporal.ts';
import { INSTALLATION_MARK_ID, INSTALLATION_MARK_QUEUE } from './workflow-ids.ts';
import { describeWorkflow, isOpenWorkflow } from './workflow-status.ts';

/** Key of the installation id in the data of a namespace. */
export const NAMESPACE_DATA_KEY = 'calibron-installation';

/** PERMISSION_DENIED, UNIMPLEMENTED and UNAUTHENTICATED: only administrators of the engine may do this. */
const DENIED = [7, 12, 16];

/** What the engine stores about the installation to which it belongs. */
export interface EngineMark {
  /** The namespace's id on the server; null if this account may not read it. */
  namespace_id: string | null;
  /** The installation id stored in the namespace; null if there is none. */
  installation_id: string | null;
  /** The id is in a closed workflow, which the engine deletes after the retention time. */
  is_closed: boolean;
}

/** The account may not change the namespace, and a workflow cannot override the id stored there. */
export class MarkNotWritable extends Error {
  override readonly name = 'MarkNotWritable';
}

/**
 * Reads the mark of the engine's namespace. A mark in the namespace's data takes precedence over one in a workflow.
 * @throws if the engine is unavailable or the namespace does not exist
 */
export async function readEngineMark(engine: Engine): Promise<EngineMark> {
  const { namespace_id, data_id } = await readNamespace(engine);
  if (data_id !== null) return { namespace_id, installation_id: data_id, is_closed: false };
  const workflow = await readMarkWorkflow(engine);
  return { namespace_id, installation_id: workflow?.id ?? null, is_closed: workflow?.isOpen === false };
}

/**
 * Writes the installation id into the namespace's data, or into a workflow if this account may not change the namespace.
 * Replaces any other id.
 * @throws MarkNotWritable if the data holds another id that this account may not change
 */
export async function writeEngineMark(engine: Engine, installationId: string): Promise<void> {
  const { connection, namespace } = engine;
  try {
    await withinDeadline(engine, () =>
      connection.workflowService.updateNamespace({
        namespace,
        updateInfo: { data: { [NAMESPACE_DATA_KEY]: installationId } },
      }),
    );
    return;
  } catch (thrown) {
    if (!isDenied(thrown)) throw thrown;
  }
  const { data_id } = await readNamespace(engine);
  if (data_id === installationId) return;
  if (data_id !== null) {
    throw new MarkNotWritable(
      `The namespace ${namespace} carries the installation id ${data_id}, and this account may not change it. ` +
        `An administrator can: temporal operator namespace update --namespace ${namespace} ` +
        `--data ${NAMESPACE_DATA_KEY}=${installationId}`,
    );
  }
  await writeMarkWorkflow(engine, installationId);
}

async function readNamespace(
  engine: Engine,
): Promise<{ namespace_id: string | null; data_id: string | null }> {
  const { connection, namespace } = engine;
  try {
    const { namespaceInfo } = await withinDeadline(engine, () =>
      connection.workflowService.describeNamespace({ namespace }),
    );
    return {
      namespace_id: namespaceInfo?.id || null,
      data_id: namespaceInfo?.data?.[NAMESPACE_DATA_KEY] || null,
    };
  } catch (thrown) {
    if (!isDenied(thrown)) throw thrown;
    return { namespace_id: null, data_id: null };
  }
}

async function readMarkWorkflow(engine: Engine): Promise<{ id: string; isOpen: boolean } | null> {
  const workflow = await describeWorkflow(withPlainClient(engine), INSTALLATION_MARK_ID);
  if (!workflow) return null;
  const id = workflow.memo?.['installation_id'];
  return typeof id === 'string' ? { id, isOpen: isOpenWorkflow(workflow.status.name) } : null;
}

/**
 * Starts a workflow whose memo is the mark. No worker serves its queue, so it stays open and costs nothing. The engine accepts
 * only one open workflow with this id.
 */
async function writeMarkWorkflow(engine: Engine, installationId: string): Promise<void> {
  await withinDeadline(engine, () =>
    withPlainClient(engine).client.workflow.start('installationMark', {
      workflowId: INSTALLATION_MARK_ID,
      taskQueue: INSTALLATION_MARK_QUEUE,
      workflowIdConflictPolicy: 'TERMINATE_EXISTING',
      memo: { installation_id: installationId },
      staticSummary: 'Marks this namespace as belonging to one Calibron installation. Leave it open.',
    }),
  );
}

/** A client without encryption: ids are not secret, and an installation with another key must be able to read this one. */
function withPlainClient(engine: Engine): Engine {
  const { connection, namespace } = engine;
  return { ...engine, client: new Client({ connection, namespace }) };
}

function isDenied(thrown: unknown): boolean {
  return isGrpcServiceError(thrown) && DENIED.includes(thrown.code);
}
