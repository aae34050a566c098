import { Client, isGrpcServiceError } from '@temporalio/client';
import { type Engine, withinDeadline } from './temporal.ts';
import { INSTALLATION_MARK_ID, INSTALLATION_MARK_QUEUE } from './workflow-ids.ts';
import { describeWorkflow, isOpenWorkflow } from './workflow-status.ts';

/** Key in the data of a namespace under which it carries the installation id. */
export const NAMESPACE_DATA_KEY = 'calibron-installation';

/** PERMISSION_DENIED, UNIMPLEMENTED and UNAUTHENTICATED: only administrators of the engine may do this. */
const DENIED = [7, 12, 16];

/** What an engine says about the installation that it belongs to. */
export interface EngineMark {
  /** The id that the server gave the namespace; null where this account may not read it. */
  namespace_id: string | null;
  /** The installation id that the namespace carries; null where it carries none. */
  installation_id: string | null;
  /** The id is in a workflow that was closed, which the engine forgets after the retention time. */
  is_closed: boolean;
}

/** The account may not change the namespace, and what the namespace carries cannot be covered by a workflow. */
export class MarkNotWritable extends Error {
  override readonly name = 'MarkNotWritable';
}

/**
 * Reads the mark of the engine's namespace. A mark in the namespace's data takes precedence over one in a workflow.
 * @throws when the engine is away or there is no such namespace
 */
export async function readEngineMark(engine: Engine): Promise<EngineMark> {
  const { namespace_id, data_id } = await readNamespace(engine);
  if (data_id !== null) return { namespace_id, installation_id: data_id, is_closed: false };
  const workflow = await readMarkWorkflow(engine);
  return { namespace_id, installation_id: workflow?.id ?? null, is_closed: workflow?.isOpen === false };
}

/**
 * Writes the installation id into the namespace's data, or into a workflow where this account may not change the
 * namespace. Replaces another id.
 * @throws MarkNotWritable when the data holds another id that this account may not change
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
 * No worker serves its queue, so the workflow stays open and costs nothing: only its memo is of use. The engine accepts
 * one open workflow with this id.
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

/** Ids are no secrets, and an installation with another encryption key must be able to name this one. */
function withPlainClient(engine: Engine): Engine {
  const { connection, namespace } = engine;
  return { ...engine, client: new Client({ connection, namespace }) };
}

function isDenied(thrown: unknown): boolean {
  return isGrpcServiceError(thrown) && DENIED.includes(thrown.code);
}
