import { z } from 'zod';
import { taskIdSchema } from '../../kernel/ids.ts';
import { boolean } from '../../kernel/wire.ts';
import { flowParameters, parametersOfRun } from '../flows/saved-flow-model.ts';
import { preemptionMeaning, priorityMeaning } from './model.ts';

/** Absent in requests of clients that do not know it, so that their idempotency keys stay valid. */
const requireWorker = z
  .boolean()
  .optional()
  .describe('true: the run is refused (409 no_worker) if no worker serves its backend, and does not wait.');

/** Absent in requests of clients that do not know it, so that their idempotency keys stay valid. */
export const runPriority = z
  .number()
  .int()
  .min(0)
  .max(9)
  .optional()
  .describe(`${priorityMeaning} Default 0.`);

export const allowPreemption = z.boolean().optional().describe(preemptionMeaning);

/** Body of POST /flows/{name}/execute. */
export const executeFlow = z.strictObject({
  parameters: parametersOfRun.default({}),
  require_worker: requireWorker,
  priority: runPriority,
  allow_preemption: allowPreemption,
});
export type ExecuteFlow = z.infer<typeof executeFlow>;

/** Body of POST /executions/check-availability. */
export const checkAvailability = z.object({
  flow_name: z.string().nullable().default(null),
  parameters: flowParameters.default({}).describe('As for execute; `chip_id` names the chip.'),
});
export type CheckAvailability = z.infer<typeof checkAvailability>;

/** Body of POST /executions/{execution_id}/re-execute. */
export const reExecuteExecution = z.strictObject({
  flow_name: z.string().min(1),
  parameter_overrides: flowParameters.default({}).describe("Parameters in place of the flow's defaults."),
});
export type ReExecuteExecution = z.infer<typeof reExecuteExecution>;

/** Body of POST /executions/{execution_id}/retry. */
export const retryExecution = z.strictObject({
  code: z
    .enum(['original', 'current'])
    .default('original')
    .describe('The version of the flow that the execution ran, or the one that is saved now.'),
});
export type RetryExecution = z.infer<typeof retryExecution>;

const overrides = flowParameters.default({});

const updateParams =
  'Accepted for clients that know parameter files; values reach calibration state without it.';
const RECONFIGURE_TEXT = 'Run the task Configure on the qubit first.';

/** Body of POST /tasks/{task_name}/execute. */
export const executeTask = z.strictObject({
  chip_id: z.string().min(1),
  qid: z.string().min(1).max(64).describe('Qubit, or coupling as `<control>-<target>`.'),
  backend_name: z
    .string()
    .nullable()
    .default(null)
    .describe('Backend of the run; null takes the default one.'),
  source_task_id: taskIdSchema
    .nullable()
    .default(null)
    .describe('Task result that this one follows from. A link only: none of its values are taken.'),
  input_parameter_overrides: overrides.describe('Inputs by name, in place of calibration state.'),
  run_parameter_overrides: overrides.describe("Run parameters by name, in place of the catalog's defaults."),
  reconfigure: boolean().default(false).describe(RECONFIGURE_TEXT),
  persist_output_parameters: boolean()
    .default(false)
    .describe('true: outputs become calibration state. false: they are kept in the task result only.'),
  check: boolean()
    .default(false)
    .describe(
      'true: only measures whether the stored values are still within their tolerances, with few points or shots. No value is written, neither to calibration state nor as an output. Only for tasks with a check form.',
    ),
  update_params: boolean().default(false).describe(updateParams),
  require_worker: requireWorker,
  priority: runPriority,
});
export type ExecuteTask = z.infer<typeof executeTask>;

/** Body of POST /task-results/{task_id}/re-execute. */
export const reExecuteTask = z.strictObject({
  parameter_overrides: z
    .strictObject({
      input: overrides.describe('Inputs by name, in place of those of the result.'),
      run: overrides.describe('Run parameters by name, in place of those of the result.'),
    })
    .prefault({}),
  update_params: boolean().default(true).describe(updateParams),
  reconfigure: boolean().default(false).describe(RECONFIGURE_TEXT),
});
export type ReExecuteTask = z.infer<typeof reExecuteTask>;
