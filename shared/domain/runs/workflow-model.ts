import { workflowContract } from '../../kernel/engine/workflow-contract.ts';
import type { CalibrationRunInput, SingleTaskRunInput } from './run-model.ts';

/** Carries out a flow. */
export const calibrationRun =
  workflowContract<(input: CalibrationRunInput) => Promise<unknown>>('calibrationRun');

/** Carries out a single task. */
export const singleTaskRun =
  workflowContract<(input: SingleTaskRunInput) => Promise<unknown>>('singleTaskRun');
