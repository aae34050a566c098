import { defineQuery } from '@temporalio/workflow';
import type { RunProgress } from '../shared/executions/run.ts';

/** Live progress of a run or a stage. */
export const progressQuery = defineQuery<RunProgress>('progress');
