import { WorkflowNotFoundError } from '@temporalio/client';
import proto from '@temporalio/proto';
import { type Areas, domain } from '../../shared/domain/areas.ts';
import { flowRunIdOf } from '../../shared/domain/executions/id-rules.ts';
import type { ExecutionDocument } from '../../shared/domain/executions/model.ts';
import type { Settings } from '../../shared/domain/settings.ts';
import { prepareStore } from '../../shared/domain/store-preparation.ts';
import { connectDatabase } from '../../shared/kernel/database.ts';
import { prepareEngine } from '../../shared/kernel/engine/prepare.ts';
import { type Engine, withinDeadline } from '../../shared/kernel/engine/temporal.ts';
import { conditionOf } from '../../shared/kernel/engine/workflow-condition.ts';
import { INSTALLATION_MARK_ID, lockWorkflowId } from '../../shared/kernel/engine/workflow-ids.ts';
import { describeWorkflow, isOpenWorkflow } from '../../shared/kernel/engine/workflow-status.ts';
import type { ExecutionId } from '../../shared/kernel/ids.ts';
import { adopt } from '../../shared/kernel/installation/adopt.ts';
import { createInstallationStore } from '../../shared/kernel/installation/store.ts';
import { createLog } from '../../shared/kernel/log.ts';
import { newId } from '../../shared/kernel/new-ids.ts';
import type { Report } from '../engines/types.ts';
import { endMessage, type KnownRun, lastChange, whyEnded } from './settle-rules.ts';

/** Executions that may be open; a project has one at most. */
const MAX_RUNS = 100_000;
/** Newest events of a run that are searched for its last one before the copy. */
const EVENTS = 200;
/** Milliseconds by which the clocks of the store's machine and of Temporal's may differ. */
const CLOCK_TOLERANCE = 2000;
const REASON = 'restored from a backup';

export interface Settling {
  /** Times (ISO) of the backup. */
  takenAt: string;
  storeFrom: string;
  /** Null if the lab backed up Temporal itself, at some time after the store. */
  engineUntil: string | null;
  /** A copy that runs beside the original: it gets an installation id of its own, and nothing continues in it automatically. */
  asCopy: boolean;
  /** Directory of figures and raw data as it is now. */
  dataRoot: string;
  report: Report;
}

/** The outcome of an open run. */
export interface SettledRun {
  project_id: string;
  execution_id: ExecutionId;
  /** Null if it goes on. */
  message: string | null;
}

/**
 * Brings store and Temporal of a restored installation together: one installation id, and no run of which they know different
 * things. No API and no worker may run. Safe to repeat.
 */
export async function settle(settings: Settings, engine: Engine, settling: Settling): Promise<SettledRun[]> {
  const { report, dataRoot } = settling;
  const database = await connectDatabase(settings.MONGODB_URI, settings.MONGODB_DATABASE);
  const log = createLog('restore', 'WARN');
  try {
    await prepareStore({ database, settings, log }, { report, mayBeUnfinished: true });
    await prepareEngine(engine);
    const parts = { database, engine, address: settings.TEMPORAL_ADDRESS };
    if (settling.asCopy) await createInstallationStore(database.db).adopt({ installation_id: newId() });
    report(await adopt('temporal', parts, dataRoot));
    report(await adopt('data', parts, dataRoot));
    const { areas, close } = domain.open({ db: database.db, engine, settings, log });
    try {
      const settled = await settleRuns(areas, engine, settling);
      await settleSchedules(areas, engine, settling);
      return settled;
    } finally {
      await close();
    }
  } finally {
    await database.close();
  }
}

async function settleRuns(areas: Areas, engine: Engine, settling: Settling): Promise<SettledRun[]> {
  const { takenAt, storeFrom, asCopy, report } = settling;
  const executions = await areas.executions.store.open(MAX_RUNS);
  const ends = new Map<ExecutionDocument, string>();
  const goOn = new Set<string>();
  for (const execution of executions) {
    const until = settling.engineUntil === null ? null : new Date(settling.engineUntil);
    const known = await knownRun(engine, execution, until);
    const why = asCopy
      ? 'This installation is a copy, and the run belongs to the original.'
      : whyEnded(known, new Date(Date.parse(storeFrom) - CLOCK_TOLERANCE));
    if (why === null) goOn.add(lockWorkflowId(execution.project_id));
    else ends.set(execution, endMessage(why, takenAt));
  }
  await endWorkflows(engine, goOn, settling);
  const settled: SettledRun[] = [];
  for (const execution of executions) {
    const { project_id, execution_id } = execution;
    const message = ends.get(execution) ?? null;
    if (message !== null)
      await areas.runs.closer.close(execution, { status: 'failed', message, crashed: true });
    report(`run ${execution_id} of project ${project_id}: ${message ?? 'continues'}`);
    settled.push({ project_id, execution_id, message });
  }
  return settled;
}

/** What Temporal knew of a run when it was copied. */
async function knownRun(
  engine: Engine,
  execution: ExecutionDocument,
  until: Date | null,
): Promise<KnownRun | null> {
  const workflowId = lockWorkflowId(execution.project_id);
  const description = await describeWorkflow(engine, workflowId, flowRunIdOf(execution) || undefined);
  if (!description) return null;
  const newest = await describeWorkflow(engine, workflowId);
  const isOpen =
    newest !== null &&
    isOpenWorkflow(newest.status.name) &&
    newest.raw.workflowExecutionInfo?.firstRunId === description.raw.workflowExecutionInfo?.firstRunId;
  if (!isOpen) return { isOpen, pending: 0, changedAt: until ?? new Date() };
  const { activities, children } = await conditionOf(engine, newest);
  const { history } = await withinDeadline(engine, () =>
    engine.connection.workflowService.getWorkflowExecutionHistoryReverse({
      namespace: engine.namespace,
      execution: { workflowId, runId: newest.runId },
      maximumPageSize: EVENTS,
    }),
  );
  const events = (history?.events ?? []).map(({ eventType, eventTime }) => ({
    type: eventType ?? proto.temporal.api.enums.v1.EventType.EVENT_TYPE_UNSPECIFIED,
    at: new Date(Number(eventTime?.seconds ?? 0) * 1000 + Math.floor((eventTime?.nanos ?? 0) / 1e6)),
  }));
  return {
    isOpen,
    pending: activities.length + children.length,
    changedAt: lastChange(events, until) ?? until ?? new Date(),
  };
}

/** Terminates all workflows but those of runs that go on: what they have done may be missing in the store. */
async function endWorkflows(engine: Engine, goOn: ReadonlySet<string>, { report }: Settling): Promise<void> {
  const kept = new Set([...goOn, INSTALLATION_MARK_ID]);
  let ended = 0;
  for await (const { workflowId, runId, type } of engine.client.workflow.list({
    query: 'ExecutionStatus = "Running"',
  })) {
    if (kept.has(workflowId) || type.startsWith('temporal-sys-')) continue;
    try {
      await engine.client.workflow.getHandle(workflowId, runId).terminate(REASON);
      ended += 1;
    } catch (thrown) {
      // It has ended with its parent.
      if (!(thrown instanceof WorkflowNotFoundError)) throw thrown;
    }
  }
  if (ended > 0) report(`${ended} workflows in Temporal were ended`);
}

/** Gives Temporal the schedules of the store, and only these. In a copy, all are paused. */
async function settleSchedules(areas: Areas, engine: Engine, { asCopy, report }: Settling): Promise<void> {
  const { store, timetable } = areas.schedules;
  const known = new Set<string>();
  for (const schedule of await store.notOver()) {
    known.add(schedule.schedule_id);
    if (asCopy && schedule.active) await store.pause(schedule, 'This installation is a copy.', new Date());
    await timetable.change({ ...schedule, active: schedule.active && !asCopy });
  }
  const unknown: string[] = [];
  for await (const { scheduleId } of engine.client.schedule.list()) {
    if (!known.has(scheduleId)) unknown.push(scheduleId);
  }
  for (const scheduleId of unknown) await timetable.remove(scheduleId);
  if (known.size > 0) report(`${known.size} schedules${asCopy ? ', all of them paused' : ''}`);
}
