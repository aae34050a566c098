import { setWorkflowOptions } from '@temporalio/workflow';
import { aiReviewBatch } from './ai-review-batch.ts';
import { calibrationRun } from './calibration-run.ts';
import { candidateApply } from './candidate-apply.ts';
import { projectDeletion } from './project-deletion.ts';
import { scheduledStart } from './scheduled-start.ts';
import { singleTaskRun } from './single-task-run.ts';
import { stage } from './stage.ts';

/**
 * Entry point of the bundle for workers with versions (WORKER_DEPLOYMENT). It also declares which version continues an open
 * workflow. A worker without a version must not declare this, because the engine would refuse its workflow tasks.
 */
export * from './index.ts';

/** Pinned: for workflows that end soon or contain most of the commands that releases change. */
const pinned = { versioningBehavior: 'PINNED' } as const;
setWorkflowOptions(pinned, candidateApply);
setWorkflowOptions(pinned, singleTaskRun);
setWorkflowOptions(pinned, stage);

/** For workflows that may last for days with few commands: they continue in the current version, which replays their history. */
const upgraded = { versioningBehavior: 'AUTO_UPGRADE' } as const;
setWorkflowOptions(upgraded, aiReviewBatch);
setWorkflowOptions(upgraded, calibrationRun);
setWorkflowOptions(upgraded, projectDeletion);
setWorkflowOptions(upgraded, scheduledStart);
