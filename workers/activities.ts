import { availableParallelism } from 'node:os';
import { Context } from '@temporalio/activity';
import { createAiReviewActivities } from '../activities/ai-review.ts';
import { createAnalysisPool } from '../activities/analysis/pool.ts';
import { createApplyActivities } from '../activities/candidate-apply.ts';
import { createChatActivities } from '../activities/chat.ts';
import type { BackendWorkerActivities } from '../activities/contracts/backend-workers.ts';
import { createExecutionActivities } from '../activities/execution.ts';
import { createFlowActivities } from '../activities/flow.ts';
import { createFlowIsolates, flowThreads } from '../activities/flow-isolate/isolate.ts';
import { ownAnalysisActivities } from '../activities/own-analysis.ts';
import { createProjectDeletionActivities } from '../activities/project-deletion.ts';
import { createArtifactFiles } from '../activities/record/artifacts.ts';
import { createFigureDrawing } from '../activities/record/figure-drawing.ts';
import { createLocalRecords } from '../activities/record/local-records.ts';
import { createPlans } from '../activities/record/plans.ts';
import { createTrailingWrites } from '../activities/record/trailing-writes.ts';
import { inFairTurns } from '../activities/record/turns.ts';
import { createUndeliveredRecording } from '../activities/record/undelivered.ts';
import { createRecordActivities } from '../activities/record.ts';
import { createScheduledStartActivities } from '../activities/scheduled-start.ts';
import { createSingleTaskActivities } from '../activities/single-task.ts';
import { createStageActivities } from '../activities/stages.ts';
import { createWorkload } from '../activities/workload.ts';
import { type Areas, domain } from '../shared/domain/areas.ts';
import type { Settings } from '../shared/domain/settings.ts';
import type { Db } from '../shared/kernel/database.ts';
import type { Engine } from '../shared/kernel/engine/temporal.ts';
import type { ProjectId } from '../shared/kernel/ids.ts';
import type { Logger } from '../shared/kernel/log.ts';
import type { findTask as findTaskOfCatalog } from '../shared/tasks/catalog.ts';
import { knownTasks } from '../shared/tasks/known-tasks.ts';
import type { MeasurementCounts } from './measurement-metrics.ts';

export type WorkerActivities = ReturnType<typeof createWorkerActivities>;

/** What activities need of the process. */
export interface ActivityNeeds {
  settings: Settings;
  db: Db;
  engine: Engine;
  log: Logger;
  areas: Areas;
  findTask: typeof findTaskOfCatalog;
  /** For metrics about measurements; none if undefined. */
  counts: MeasurementCounts | undefined;
}

/** The activities of this process by queue, with the threads and caches that they share. */
export function createWorkerActivities({
  settings,
  db,
  engine,
  log,
  areas,
  findTask,
  counts,
}: ActivityNeeds) {
  const cancellation = () => Context.current().cancellationSignal;
  const tasksOf = async (projectId: ProjectId) =>
    knownTasks(await areas.backends.ownTasksOf(projectId), findTask);
  const analysis = createAnalysisPool({ threads: settings.ANALYSIS_THREADS });
  const isolates = createFlowIsolates({
    threads: settings.FLOW_THREADS ?? flowThreads(availableParallelism()),
    runMs: settings.FLOW_PROCESSOR_SECONDS * 1000,
  });
  const workload = createWorkload();
  const files = createArtifactFiles(settings.CALIB_DATA_PATH);
  const figures = createFigureDrawing({
    mode: settings.FIGURE_DRAWING,
    draw: areas.artifacts.draw,
    untilIdle: workload.untilIdle,
    files,
    log,
  });
  const trailing = createTrailingWrites({ log });
  const plans = createPlans({ areas, findTask });
  const { record: recordUncounted, noteTakenBack } = createRecordActivities({
    areas,
    files,
    analysis,
    figures,
    trailing,
    plans,
    keptResults: areas.runs.keptResults,
    heartbeatTimeout: areas.backends.heartbeatTimeout,
    settings,
    counts,
    log,
  });
  const record = workload.counted(recordUncounted);
  const flow = createFlowActivities({ areas, isolates, tasksOf, cancellation });

  return {
    flow,
    calibration: {
      ...createExecutionActivities({ areas, engine, figures, findTask, log }),
      ...createLocalRecords({ record: inFairTurns(record), log }),
      noteTakenBack,
      ...createStageActivities({
        areas,
        plans,
        recordUndelivered: createUndeliveredRecording({ areas, record, log }),
      }),
      // The first steps of a flow are local activities.
      ...flow,
      ...createProjectDeletionActivities({
        db,
        engine,
        settings,
        collections: domain.collections,
        projects: areas.projects,
      }),
      ...createChatActivities({ chat: areas.chat }),
      writeKnowledgePage: areas.taskKnowledge.writePage,
      ...createSingleTaskActivities({ areas, tasksOf }),
      ...createApplyActivities(areas),
      ...ownAnalysisActivities,
      ...({
        noteDescriptions: ({ backend, answers }) => areas.backendWorkers.noteDescriptions(backend, answers),
      } satisfies BackendWorkerActivities),
      ...createScheduledStartActivities({
        schedules: areas.schedules,
        runs: areas.runs,
        projects: areas.projects,
        execution: areas.executions.store.get,
      }),
    },
    review: createAiReviewActivities({ aiReviews: areas.aiReviews, cancellation }),
    /** Counts measurements in progress, so that the process knows when it is idle. */
    counted: workload.counted,
    /** Makes the pending writes and stops the threads. Call it when all workers have stopped. */
    async close(): Promise<void> {
      await Promise.all([trailing.settle(), figures.end()]);
      await Promise.all([analysis.destroy(), isolates.close()]);
    },
  };
}
