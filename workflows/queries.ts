import { defineQuery } from '@temporalio/workflow';
import type { RunProgress } from '../shared/domain/runs/progress-rules.ts';

/** Current progress of a run or a stage. */
export const progressQuery = defineQuery<RunProgress>('progress');
