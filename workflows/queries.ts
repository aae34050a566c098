import { defineQuery } from '@temporalio/workflow';
import type { RunProgress } from '../shared/domain/runs/progress.ts';

/** Live progress of a run or a stage. */
export const progressQuery = defineQuery<RunProgress>('progress');
