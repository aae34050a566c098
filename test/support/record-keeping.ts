import { type AnalysisPool, createAnalysisPool } from '../../activities/analysis/pool.ts';
import { createArtifactFiles } from '../../activities/record/artifacts.ts';
import { createLocalRecords } from '../../activities/record/local-records.ts';
import { createPlans } from '../../activities/record/plans.ts';
import { createTrailingWrites } from '../../activities/record/trailing-writes.ts';
import { createRecordActivities } from '../../activities/record.ts';
import type { HeldRun } from '../../shared/domain/runs/run-model.ts';
import { createLog } from '../../shared/kernel/log.ts';
import { findTask } from '../../shared/tasks/catalog.ts';
import { type Laboratory, oneStage, runOf } from './laboratory.ts';

let analysis: AnalysisPool | undefined;

/** The analysis thread that all files of a test process share, and none ends: to start one takes a second of a core. */
export function commonAnalysis(): AnalysisPool {
  analysis ??= createAnalysisPool({ threads: 1 });
  return analysis;
}

const log = createLog('test', 'SILENT');

const artifactsOf = (lab: Laboratory) => createArtifactFiles(lab.settings.CALIB_DATA_PATH);

/** The record activities as a worker of ours has them, but for what is given. */
export function recordActivities(
  lab: Laboratory,
  given: Partial<Parameters<typeof createRecordActivities>[0]> = {},
): ReturnType<typeof createLocalRecords> {
  const { record } = createRecordActivities({
    areas: lab.areas,
    files: artifactsOf(lab),
    figures: { add: () => {} },
    trailing: createTrailingWrites({ log }),
    analysis: commonAnalysis(),
    plans: createPlans({ areas: given.areas ?? lab.areas, findTask }),
    keptResults: lab.runs.keptResults,
    heartbeatTimeout: lab.areas.backends.heartbeatTimeout,
    settings: lab.settings,
    log,
    ...given,
  });
  return createLocalRecords({ record, log });
}

/** A run that holds its project: its first target stalls in its first task, and it has not come to the others. */
export async function heldRun(
  lab: Laboratory,
  {
    tasks = ['CheckT1'],
    qids = ['0', '1'],
    options = '',
  }: { tasks?: readonly string[]; qids?: readonly string[]; options?: string } = {},
) {
  const place = await lab.newProject();
  await lab.setFaults({ rules: [{ match: { project_id: place.projectId }, behaviour: 'stall' }] });
  const started = await lab.startFlow(place, oneStage(tasks, qids, `, parallel: 1${options}`));
  await lab.measuring(place.projectId, started.execution_id);
  const epoch = (await lab.runs.locks.get(place.projectId))?.epoch ?? 0;
  const { flow_run_id } = started;
  const run: HeldRun = { ...runOf(place, started.execution_id), epoch, flow_run_id };
  return { place, started, run };
}
