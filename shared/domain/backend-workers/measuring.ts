import { z } from 'zod';
import { isTakenMeasurement, type PendingActivity } from '../../kernel/engine/pending-measurements.ts';
import type { Engine, EngineAccess } from '../../kernel/engine/temporal.ts';
import { runWorkflowId } from '../../kernel/engine/workflow-ids.ts';
import { describeWorkflow } from '../../kernel/engine/workflow-status.ts';
import { executionIdSchema } from '../../kernel/ids.ts';
import type { ExecutionStore } from '../executions/index.ts';
import type { GivenMeasurement } from './model.ts';

/** Maximum number of open runs that are looked at. */
const OPEN_RUNS = 200;

const details = z.object({ progress: z.number().min(0).max(1) });

/**
 * The measurements that workers of these backends have taken and not ended, according to the engine. The backends of a lab have
 * few runs at a time, so each look takes few calls.
 * @returns measurements by backend
 */
export async function readMeasuring(
  engine: Engine,
  executions: Pick<ExecutionStore, 'openRuns'>,
  backends: ReadonlySet<string>,
): Promise<Map<string, GivenMeasurement[]>> {
  const runs = (await executions.openRuns(OPEN_RUNS)).filter(({ backend }) => backends.has(backend));
  const found = new Map<string, GivenMeasurement[]>();
  for (const run of runs) {
    const { project_id, backend } = run;
    const own = await describeWorkflow(engine, runWorkflowId(run));
    const execution_id = executionIdSchema.parse(String(own?.memo?.['execution_id'] ?? ''));
    const stages = (own?.raw.pendingChildren ?? []).map(({ workflowId }) => workflowId ?? '');
    const children = await Promise.all(stages.map((id) => describeWorkflow(engine, id)));
    const pending = [own, ...children].flatMap((each) => each?.raw.pendingActivities ?? []);
    const given = await Promise.all(
      pending.filter(isTakenMeasurement).map(async (activity) => ({
        worker: activity.lastWorkerIdentity ?? '',
        project_id,
        execution_id,
        what: activity.activityId ?? '',
        progress: await progressOf(engine.access, activity),
        since: new Date(Number(activity.lastStartedTime?.seconds ?? 0) * 1000),
      })),
    );
    found.set(backend, [...(found.get(backend) ?? []), ...given]);
  }
  return found;
}

/** The progress in the details of the last heartbeat; null if there is none, or if they cannot be read. */
async function progressOf(
  { dataConverter }: EngineAccess,
  { heartbeatDetails }: PendingActivity,
): Promise<number | null> {
  try {
    let payloads = heartbeatDetails?.payloads ?? [];
    for (const codec of dataConverter.payloadCodecs ?? []) payloads = await codec.decode(payloads);
    const [first] = payloads;
    if (!first?.data) return null;
    return details.parse(JSON.parse(Buffer.from(first.data).toString())).progress;
  } catch {
    return null;
  }
}
