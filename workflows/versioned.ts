import { setWorkflowOptions } from '@temporalio/workflow';
import { aiReviewBatch } from './ai-review-batch.ts';
import { calibrationRun } from './calibration-run.ts';
import { candidateApply } from './candidate-apply.ts';
import { projectDeletion } from './project-deletion.ts';
import { scheduledStart } from './scheduled-start.ts';
import { singleTaskRun } from './single-task-run.ts';
import { stage } from './stage.ts';

/**
 * Entry of the bundle of workers that have versions (WORKER_DEPLOYMENT), with which version of them carries an open
 * workflow on. A worker without a version must not say it: the engine refuses its workflow tasks.
 */
export * from './index.ts';

/** Ends soon, or holds most of the commands that releases change: the version that began it carries it to its end. */
const pinned = { versioningBehavior: 'PINNED' } as const;
setWorkflowOptions(pinned, candidateApply);
setWorkflowOptions(pinned, singleTaskRun);
setWorkflowOptions(pinned, stage);

/** May last for days, with few commands: continues in the current version, which replays what another one did. */
const upgraded = { versioningBehavior: 'AUTO_UPGRADE' } as const;
setWorkflowOptions(upgraded, aiReviewBatch);
setWorkflowOptions(upgraded, calibrationRun);
setWorkflowOptions(upgraded, projectDeletion);
setWorkflowOptions(upgraded, scheduledStart);
