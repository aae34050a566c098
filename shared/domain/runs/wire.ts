import { runWorkflowId } from '../../kernel/engine/workflow-ids.ts';
import type { ExecutionId } from '../../kernel/ids.ts';
import type { ExecutionDocument } from '../executions/model.ts';
import type { LockStatus, StartedRun } from './model.ts';
import type { RunIdentity } from './run-model.ts';

/** Addresses of the pages that show runs. */
export interface RunPages {
  /** Address of this service's user interface. */
  clientUrl: string;
  /** Address of the engine's user interface, and the namespace of the runs there. */
  engineUrl: string;
  namespace: string;
}

/** Address of a run in the engine's UI. */
export function flowRunUrl(
  { engineUrl, namespace }: Pick<RunPages, 'engineUrl' | 'namespace'>,
  run: Parameters<typeof runWorkflowId>[0],
  flowRunId: string,
): string {
  return `${engineUrl}/namespaces/${namespace}/workflows/${encodeURIComponent(runWorkflowId(run))}/${flowRunId}/user-metadata`;
}

/** Answer of every request that starts a run. */
export function startedRunOf(
  run: RunIdentity,
  flowRunId: string,
  message: string,
  pages: RunPages,
): StartedRun {
  // Without the project, the page would open in the reader's default project.
  const link = `${pages.clientUrl.replace(/\/+$/, '')}/execution/${encodeURIComponent(run.chip_id)}/${run.execution_id}?project=${run.project_id}`;
  return {
    execution_id: run.execution_id,
    flow_run_id: flowRunId,
    flow_run_url: flowRunUrl(pages, run, flowRunId),
    service_ui_url: link,
    qdash_ui_url: link,
    message,
  };
}

/**
 * The lock of a project, with details of its holder.
 * @param execution of the holder; without a holder, the newest one of the project
 */
export function lockStatusOf(
  holder: { execution_id: ExecutionId } | null,
  execution: ExecutionDocument | null,
): LockStatus {
  return {
    lock: holder !== null,
    execution_id: (holder ?? execution)?.execution_id || null,
    chip_id: execution?.chip_id ?? null,
    name: execution?.name ?? null,
    status: execution?.status ?? null,
  };
}
