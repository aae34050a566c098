import { isGrpcServiceError } from '@temporalio/client';
import { type ExecutionId, executionIdSchema } from '../ids.ts';
import { type Engine, withOneRetry } from './temporal.ts';
import { CALIBRATION_QUEUE } from './workflow-ids.ts';

/** What the engine does with a version of workers: codes of its API. */
const STATES = ['unknown', 'not_used', 'current', 'ramping', 'draining', 'drained', 'not_used'] as const;
export type DeploymentVersionState = (typeof STATES)[number];

export interface DeploymentVersion {
  buildId: string;
  state: DeploymentVersionState;
  createdAt: Date | null;
  /** When it became the current one; null if it is not. */
  currentSince: Date | null;
}

/** An open workflow of a run. */
export interface OpenRunWorkflow {
  workflowId: string;
  isStage: boolean;
  projectId: string;
  executionId: ExecutionId;
  chipId: string;
  startedAt: Date;
  /** The version that carried out its last workflow task; null without versions or before the first task. */
  buildId: string | null;
  /** Whether it stays with this version, whichever one is promoted. */
  isPinned: boolean;
}

/** Codes of gRPC: there is no such deployment, or the server is too old to have any. */
const ABSENT = [5, 12];

/** Types of the workflows of runs. */
const RUNS = ['calibrationRun', 'singleTaskRun'];
const STAGE = 'stage';

/** Versions of a deployment that the engine knows. Null if it has no such deployment. */
export async function deploymentVersions(
  engine: Engine,
  deploymentName: string,
): Promise<{ current: string | null; versions: DeploymentVersion[] } | null> {
  const { namespace } = engine;
  try {
    // The engine asks a workflow of its own by a query, which may be lost.
    const { workerDeploymentInfo: info } = await withOneRetry(engine, () =>
      engine.connection.workflowService.describeWorkerDeployment({ namespace, deploymentName }),
    );
    const versions = (info?.versionSummaries ?? []).map((summary) => ({
      buildId: summary.deploymentVersion?.buildId ?? '',
      state: STATES[summary.status ?? 0] ?? 'unknown',
      createdAt: dateOf(summary.createTime),
      currentSince: dateOf(summary.currentSinceTime),
    }));
    return { current: info?.routingConfig?.currentDeploymentVersion?.buildId || null, versions };
  } catch (thrown) {
    if (isGrpcServiceError(thrown) && ABSENT.includes(thrown.code)) return null;
    throw thrown;
  }
}

/** The open workflows of runs and their stages, up to the limit. The list is a few seconds old. */
export async function openRunWorkflows({ client }: Engine, limit: number): Promise<OpenRunWorkflow[]> {
  const types = [...RUNS, STAGE].map((type) => `'${type}'`).join(', ');
  const query = `ExecutionStatus = 'Running' AND TaskQueue = '${CALIBRATION_QUEUE}' AND WorkflowType IN (${types})`;
  const found: OpenRunWorkflow[] = [];
  for await (const { workflowId, type, startTime, searchAttributes } of client.workflow.list({ query })) {
    const text = (name: string) => String(searchAttributes[name]?.[0] ?? '');
    found.push({
      workflowId,
      isStage: type === STAGE,
      projectId: text('ProjectId'),
      executionId: executionIdSchema.parse(text('ExecutionId')),
      chipId: text('ChipId'),
      startedAt: startTime,
      buildId: text('TemporalWorkerDeploymentVersion').split(':').slice(1).join(':') || null,
      isPinned: text('TemporalWorkflowVersioningBehavior') === 'Pinned',
    });
    if (found.length >= limit) break;
  }
  return found;
}

function dateOf(time: { seconds?: unknown } | null | undefined): Date | null {
  return time?.seconds ? new Date(Number(time.seconds) * 1000) : null;
}
